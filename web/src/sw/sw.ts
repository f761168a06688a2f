/// <reference lib="webworker" />

declare const self: ServiceWorkerGlobalScope & {
  readonly __WB_MANIFEST: readonly { readonly url: string; readonly revision: string | null }[];
};

// oxlint-disable-next-line eslint/no-underscore-dangle -- the builder looks for this very name
export const FILES = self.__WB_MANIFEST;
/** Another build is another cache. */
const CACHE = `shell-${hash(JSON.stringify(FILES))}`;
const SHELL = "/";

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll([SHELL, ...FILES.map(({ url }) => `/${url}`)]))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

/** Pages come from the network first. Nothing but the built files is ever kept: what the API says is true only now. */
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== self.location.origin) return;
  if (request.mode === "navigate") {
    event.respondWith(fetch(request).catch(async () => (await caches.match(SHELL)) ?? Response.error()));
    return;
  }
  if (!FILES.some((file) => `/${file.url}` === url.pathname)) return;
  event.respondWith(caches.match(request).then((kept) => kept ?? fetch(request)));
});

/** A notification says that something waits and nothing else; touching it opens the page. */
self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(
    self.clients.matchAll({ type: "window", includeUncontrolled: true }).then((windows) => {
      const [open] = windows;
      return open === undefined ? self.clients.openWindow("/") : open.focus();
    }),
  );
});

function hash(text: string): string {
  let value = 5_381;
  for (const character of text) value = ((value * 33) ^ (character.codePointAt(0) ?? 0)) >>> 0;
  return value.toString(36);
}
