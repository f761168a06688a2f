import * as vitest from "vitest";
import { describeStore } from "../testing/index.js";
import { memoryStore } from "./memory.js";

describeStore(vitest, "memory", (clock) => memoryStore({ clock }), {
  skip: [
    {
      test: "acknowledges nothing once it is closed",
      reason: "it lives as long as whoever holds it, so that a second gate can stand for a restart",
    },
  ],
});
