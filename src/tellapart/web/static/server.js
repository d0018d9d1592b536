// @ts-check
// Asking the server; an answer that is no longer wanted is dropped.

import { $ } from "./dom.js";

/** @type {Record<string, AbortController>} */
const running = {};
/** @param {string} key */
export const drop = (key) => running[key]?.abort();
/** The answer, or nothing where a later question came. @param {string} key @param {string} path @param {RequestInit} [options] @param {(response: Response) => Promise<any>} [read] */
export async function ask(key, path, options, read = (response) => response.json()) {
  drop(key);
  const control = running[key] = new AbortController();
  try {
    const response = await fetch(path, { ...options, signal: control.signal });
    if (response.ok) return await read(response);
    const problem = await response.json().catch(() => ({ message: `The server answered ${response.status}.` }));
    if (running[key] !== control) return null;
    throw Object.assign(new Error(problem.message), problem);
  } catch (error) {
    if (/** @type {Error} */ (error).name === "AbortError") return null;
    if (error instanceof TypeError) throw new Error("The server does not answer. Is it still running?");
    throw error;
  }
}
/** @param {string} key @param {string} path @param {object} body */
export const post = (key, path, body) =>
  ask(key, path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
/** @param {string} key @param {string} path @param {URLSearchParams} query @param {Blob} file @param {(response: Response) => Promise<any>} [read] */
export const sendFile = (key, path, query, file, read) =>
  ask(key, `${path}?${query}`, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file }, read);
/** @param {string} id @param {any} [error] */
export const complain = (id, error) => {
  $(id).textContent = error ? error.message : "";
  $(id).hidden = !error;
};
