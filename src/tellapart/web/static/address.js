// @ts-check
// The state, in the part of the address that stays in the browser. Back comes to the view before; files stay.

export const state = new URLSearchParams(location.hash.slice(1));
/** @param {Record<string, any>} values */
export function remember(values) {
  for (const [key, value] of Object.entries(values)) {
    if (value === null || value === undefined || value === "" || value === false) state.delete(key);
    else state.set(key, value === true ? "1" : value);
  }
  if (`#${state}` !== location.hash) history.replaceState(null, "", `#${state}`);
}
/** A place to come back to. */
export const mark = () => history.pushState(null, "", location.href);
/** @type {((state: URLSearchParams) => void)[]} */
const readers = [];
/** Call this whenever the address changes by other hands. @param {(state: URLSearchParams) => void} reader */
export const whenChanged = (reader) => { readers.push(reader); };
addEventListener("popstate", () => {
  if (location.hash.slice(1) === String(state)) return;
  for (const key of [...state.keys()]) state.delete(key);
  for (const [key, value] of new URLSearchParams(location.hash.slice(1))) state.set(key, value);
  for (const reader of readers) reader(state);
});
