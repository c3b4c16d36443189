// Refreshes the page as votes arrive, except while a form on it is being filled in.
import { fetchPage, show } from "./swap.js";

const SOONEST = 1000; // milliseconds between updates
let waiting = false;

function isFilledIn(field) {
  if (field.type === "checkbox") return field.checked !== field.defaultChecked;
  if (field.type === "file") return field.files.length > 0;
  if (field.tagName === "SELECT") return field.selectedIndex > 0;
  return field.type !== "hidden" && field.value !== field.defaultValue;
}

function isBusy() {
  const active = document.activeElement;
  const inForm = active !== null && active.closest("form, [role=group]") !== null;
  return inForm || [...document.querySelectorAll("main :is(input, select, textarea)")].some(isFilledIn);
}

async function update() {
  waiting = false;
  if (isBusy()) return later();
  try {
    show(await fetchPage(location.href));
  } catch {
    // EventSource reconnects by itself, which triggers the next update
  }
}

function later() {
  if (waiting) return;
  waiting = true;
  setTimeout(update, SOONEST);
}

const content = document.querySelector("main[data-live]");
if (content) {
  const address = new URL(content.dataset.live, location.href);
  address.searchParams.set("since", content.dataset.seq);
  const events = new EventSource(address);
  events.addEventListener("message", later);
  addEventListener("pagehide", () => events.close());
}
