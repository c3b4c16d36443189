// Replaces the content of the current page with that of a fetched one.
export async function fetchPage(address, options = {}) {
  const response = await fetch(address, { credentials: "same-origin", ...options });
  const text = await response.text();
  const page = new DOMParser().parseFromString(text, "text/html");
  const content = page.querySelector("main");
  if (content === null) throw new Error(`${response.status}`);
  return { page, content, address: response.url };
}

export function show({ page, content }) {
  const before = document.querySelector("main");
  const opened = new Set([...before.querySelectorAll("details[open]")].map((one) => one.innerText.split("\n")[0]));
  document.title = page.title;
  before.replaceWith(content);
  for (const one of content.querySelectorAll("details")) {
    if (opened.has(one.innerText.split("\n")[0])) one.open = true;
  }
}
