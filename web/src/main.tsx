import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.js";
import { AnnouncerProvider } from "./shell/announcer.js";
import { PreferencesProvider } from "./shell/preferences.js";
import { retryUnlessRefused } from "./shell/session.js";
import "./styles.css";
import { NoticeProvider } from "./ui/notice.js";

const queries = new QueryClient({
  defaultOptions: { queries: { retry: retryUnlessRefused, staleTime: 5_000 }, mutations: { retry: false } },
});

const root = document.getElementById("root");
if (root === null) throw new Error("The page has no place for the app.");

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <PreferencesProvider>
        <AnnouncerProvider>
          <NoticeProvider>
            <App />
          </NoticeProvider>
        </AnnouncerProvider>
      </PreferencesProvider>
    </QueryClientProvider>
  </StrictMode>,
);

// Only so that the app can be installed and opens without a network; it keeps nothing that the API said.
if ("serviceWorker" in navigator && import.meta.env.PROD) {
  navigator.serviceWorker.register("/sw.js").catch(() => undefined);
}
