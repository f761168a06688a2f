import { fileURLToPath } from "node:url";
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { VitePWA } from "vite-plugin-pwa";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here("."),
  plugins: [
    react(),
    tailwind(),
    VitePWA({
      strategies: "injectManifest",
      srcDir: "src/sw",
      filename: "sw.ts",
      // Registered by our own code: an inline script would break the content security policy.
      injectRegister: false,
      manifest: false,
      injectManifest: { globPatterns: ["**/*.{js,css,svg,webmanifest}"] },
    }),
  ],
  resolve: {
    alias: {
      // The original writes a style element into the page, which the content security policy forbids.
      "react-remove-scroll": here("src/ui/remove-scroll.tsx"),
      "countersign/client": here("../dist/client/index.js"),
    },
  },
  build: {
    // Beside the compiled package, so that it is published with it.
    outDir: here("../dist/web"),
    emptyOutDir: true,
    target: "es2022",
    // Inlined files would need data: in more places than images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
