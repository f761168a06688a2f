#!/usr/bin/env node
import { runProgram } from "./program.js";

// Whoever stops reading, as `head` does, has read enough; a server goes on without its log.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

process.exitCode = await runProgram(process.argv.slice(2), process);
