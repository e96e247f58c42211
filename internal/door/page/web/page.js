// The page works without this script. With it, links and forms of a view change only what differs,
// the search answers while you type, keys work, and changes on disk appear by themselves.
"use strict";

const main = document.getElementById("main");
document.documentElement.classList.add("js");

// ---- one way to change the page: fetch the view, and put in only what differs ----

let asking = null; // the request under way; a newer one ends it

async function go(url, options = {}) {
  if (asking) asking.abort();
  const mine = asking = new AbortController();
  const row = current() || options.sent && options.sent.closest("[data-row]"), at = rows().indexOf(row), focused = row || document.activeElement !== document.body;
  let answer, text;
  try {
    answer = await fetch(url, { method: options.body ? "POST" : "GET", body: options.body, headers: { "X-Fragment": "1" }, signal: mine.signal });
    text = await answer.text();
  } catch (error) {
    if (error.name !== "AbortError") offline(true);
    return false;
  }
  if (mine === asking) asking = null;
  if (!answer.headers.get("Content-Type").startsWith("text/html")) {
    tell(text);
    return false;
  }
  offline(false);
  const next = document.createElement("main");
  next.append(...new DOMParser().parseFromString(text, "text/html").body.childNodes);
  ownFocus(next);
  document.getElementById("waiting").textContent = next.querySelector("#notice").dataset.waiting;
  if (options.quiet) next.querySelector("#notice").replaceWith(document.getElementById("notice").cloneNode(true));
  if (options.sent) options.sent.dataset.sent = "1";
  const before = new Set(main.querySelectorAll("[data-focus]"));
  children(main, next);
  if (options.sent && options.sent.isConnected) delete options.sent.dataset.sent;
  if (!options.quiet && !(options.body && answer.status >= 400)) {
    const to = new URL(answer.url);
    to.searchParams.delete("done");
    to.hash = "";
    if (options.push && to.href !== location.href) history.pushState(null, "", to);
    else history.replaceState(null, "", to);
  }
  const field = [...main.querySelectorAll("[data-focus]")].find((f) => !before.has(f));
  if (field) {
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
  } else if (focused && !document.activeElement?.offsetParent) { // what had the focus is gone or hidden
    const list = rows();
    (row && row.isConnected ? row : list[Math.min(at, list.length - 1)] || main).focus({ preventScroll: !row });
  }
  return answer.ok;
}

// ownFocus lets this script decide when a field gets the focus.
function ownFocus(root) {
  for (const field of root.querySelectorAll("[autofocus]")) {
    field.removeAttribute("autofocus");
    field.dataset.focus = "";
  }
}
ownFocus(main);

// changed: the person has typed something in it.
function changed(form) { return [...form.elements].some((e) => e.type !== "hidden" && (e.type === "checkbox" ? e.checked !== e.defaultChecked : "defaultValue" in e && e.value !== e.defaultValue)); }

// dirty: the person is typing in it. Only the answer to that very form replaces it.
function dirty(form) {
  if (form.dataset.sent) return false;
  return form.contains(document.activeElement) || changed(form);
}

function busy(node) {
  if (node.nodeType !== 1) return false;
  const forms = node.matches("form[data-edit]") ? [node] : [...node.querySelectorAll("form[data-edit]")];
  return forms.some(dirty);
}

// morph makes a node like another one, in place, so that focus and open menus stay.
function morph(from, to) {
  if (from.isEqualNode(to)) return;
  if (from.nodeType !== to.nodeType || from.nodeName !== to.nodeName || from.id !== to.id) {
    if (!busy(from)) from.replaceWith(to);
    return;
  }
  if (from.nodeType !== 1) {
    from.data = to.data;
    return;
  }
  if (from.matches("form[data-edit]") && dirty(from)) {
    const was = from.elements.base, is = to.elements.base;
    if (was && is && was.value !== is.value) from.querySelector(".changed").hidden = false;
    return;
  }
  for (const a of [...from.attributes]) if (a.name !== "open" && !to.hasAttribute(a.name)) from.removeAttribute(a.name);
  for (const a of to.attributes) if (from.getAttribute(a.name) !== a.value) from.setAttribute(a.name, a.value);
  if (from.nodeName === "TEXTAREA" || from.nodeName === "INPUT" && from !== document.activeElement) from.value = to.value;
  children(from, to); // takes the text out of the other textarea
  if (from.nodeName === "SELECT") from.value = to.value;
}

function children(from, to) {
  const named = new Map();
  for (const c of from.children) if (c.id) named.set(c.id, c);
  const wanted = new Set([...to.children].map((c) => c.id).filter(Boolean));
  let at = from.firstChild;
  for (const want of [...to.childNodes]) {
    const own = want.id && named.get(want.id);
    if (own) {
      // A node that is moved loses the focus, so what stands before it goes instead.
      while (at && at !== own && !wanted.has(at.id) && !busy(at) && at.compareDocumentPosition(own) & Node.DOCUMENT_POSITION_FOLLOWING) {
        const next = at.nextSibling;
        at.remove();
        at = next;
      }
      if (own !== at) from.insertBefore(own, at);
      at = own.nextSibling;
      morph(own, want);
    } else if (at && !at.id && !want.id && at.nodeName === want.nodeName) {
      const next = at.nextSibling;
      morph(at, want);
      at = next;
    } else {
      from.insertBefore(want, at);
    }
  }
  while (at) {
    const next = at.nextSibling;
    if (!busy(at)) at.remove();
    at = next;
  }
}

function tell(text) {
  const box = document.createElement("div"), p = document.createElement("p");
  box.className = "notice refused";
  p.textContent = text;
  box.append(p);
  document.getElementById("notice").replaceChildren(box);
}

function offline(is) {
  document.getElementById("offline").hidden = !is;
}

// ---- links, forms, search ----

addEventListener("click", (event) => {
  if (event.target.closest("[data-tick]")) {
    const boxes = [...main.querySelectorAll("[name=pick]")], all = boxes.every((box) => box.checked);
    for (const box of boxes) box.checked = !all;
    return;
  }
  if (event.target.closest("[data-skip]")) {
    const list = rows(), at = list.indexOf(event.target.closest("[data-row]"));
    list[(at + 1) % list.length].focus();
    return;
  }
  const link = event.target.closest("a[data-go]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const form = link.closest("form[data-edit]");
  go(link.href.split("#")[0], { push: !form, sent: form });
});

addEventListener("submit", (event) => {
  const form = event.target;
  event.preventDefault();
  if (form.method === "get") {
    go(form.action + "?" + filled(form));
    return;
  }
  const button = event.submitter, fields = new URLSearchParams(new FormData(form));
  if (button && button.name) fields.append(button.name, button.value);
  go(button && button.hasAttribute("formaction") ? button.formAction : form.action, { body: fields, sent: form });
});

// filled is the query of a form without its empty fields.
function filled(form) {
  const query = new URLSearchParams(new FormData(form));
  for (const [name, value] of [...query]) if (!value) query.delete(name);
  return query;
}

let typed;
addEventListener("input", (event) => {
  const form = event.target.closest("form[role=search]");
  if (!form) return;
  clearTimeout(typed);
  typed = setTimeout(() => go(form.action + "?" + filled(form)), event.target.type === "search" ? 120 : 0);
});

addEventListener("popstate", () => go(location.href, { quiet: true }));
addEventListener("beforeunload", (event) => { if ([...main.querySelectorAll("form[data-edit]")].some(changed)) event.preventDefault(); });

// ---- keys ----

function rows() { return [...main.querySelectorAll("[data-row]")]; }
function current() { return document.activeElement && document.activeElement.closest("[data-row]"); }

addEventListener("keydown", (event) => {
  const target = event.target, edit = target.closest("form[data-edit]");
  if (edit && event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); edit.requestSubmit(); return; }
  if (edit && event.key === "Escape") { edit.querySelector("[data-cancel]").click(); return; }
  if (edit || event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = target.matches("input:not([type=checkbox]), textarea, select");
  if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !target.matches("textarea, select")) {
    const list = rows(), at = list.indexOf(current());
    const next = list[event.key === "ArrowDown" ? at + 1 : at - 1];
    if (next) next.focus();
    else if (at === 0 && document.getElementById("q")) document.getElementById("q").focus();
    event.preventDefault();
    return;
  }
  if (typing) return;
  if (event.key === "/" && document.getElementById("q")) { event.preventDefault(); document.getElementById("q").focus(); document.getElementById("q").select(); return; }
  if (event.key === "Escape" && target.closest("details[open]")) { target.closest("details").open = false; return; }
  const key = "[data-key='" + CSS.escape(event.key.toLowerCase()) + "']";
  const row = current() || main.querySelector("[data-row][data-first]");
  const button = (row && row.querySelector(key)) || [...main.querySelectorAll(key)].find((b) => !b.closest("[data-row]"));
  if (!button) return;
  event.preventDefault();
  button.click();
  const menu = button.closest("details");
  if (menu && menu.open) menu.querySelector("div button").focus();
});

// ---- changes on disk ----

let stamp = "", watching = false;

// watch asks while the tab is visible, and pauses longer than the answer took.
async function watch() {
  if (watching || document.hidden) return;
  watching = true;
  const begun = performance.now();
  try {
    const answer = await fetch(document.body.dataset.root + "stamp"), now = await answer.text();
    offline(!answer.ok);
    if (answer.ok && stamp && now !== stamp) refresh();
    if (answer.ok) stamp = now;
  } catch { offline(true); }
  setTimeout(() => { watching = false; watch(); }, Math.max(500, 20 * (performance.now() - begun)));
}

// refresh waits for what the person asked for.
function refresh() {
  if (asking) setTimeout(refresh, 200);
  else go(location.href, { quiet: true });
}

document.addEventListener("visibilitychange", watch);
watch();
