const KEY = "countersign.notify";
/** One at a time: a flood of questions is one notification. */
const TAG = "waiting";

export function wantsNotifications(): boolean {
  return localStorage.getItem(KEY) === "yes" && "Notification" in window && Notification.permission === "granted";
}

export async function askForNotifications(on: boolean): Promise<boolean> {
  localStorage.setItem(KEY, on ? "yes" : "no");
  if (on && Notification.permission === "default") await Notification.requestPermission();
  return wantsNotifications();
}

/** Says that something waits; never what, and with no way to answer from there. */
export function notifyWaiting(text: string): void {
  if (!wantsNotifications() || document.visibilityState === "visible") return;
  void navigator.serviceWorker?.ready.then((worker) => worker.showNotification(text, { tag: TAG, icon: "/icon.svg" }));
}
