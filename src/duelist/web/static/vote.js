// Votes without a page reload, and by keyboard. Without this script the plain forms do the same.
import { fetchPage, show } from "./swap.js";

let busy = false;

async function send(form, button) {
  if (busy) return;
  busy = true;
  const fields = new URLSearchParams(new FormData(form));
  if (button?.name) fields.set(button.name, button.value);
  document.querySelector("main").setAttribute("aria-busy", "true");
  try {
    show(await fetchPage(form.action, { method: "POST", body: fields }));
    scrollTo({ top: 0 });
    document.querySelector("main").focus({ preventScroll: true });
  } catch {
    const fault = document.querySelector(".fault");
    if (fault) {
      fault.textContent = "The server could not be reached, so your vote may not have been recorded. Vote again: it will count only once.";
      fault.hidden = false;
    }
    document.querySelector("main").removeAttribute("aria-busy");
  } finally {
    busy = false;
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || form.enctype === "multipart/form-data") return;
  event.preventDefault();
  send(form, event.submitter);
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.closest("input, textarea, select, audio")) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const button = document.querySelector(`button[data-key="${CSS.escape(key)}"]`);
  if (button === null) return;
  event.preventDefault();
  send(button.form, button);
});
