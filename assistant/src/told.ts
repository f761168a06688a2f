import { CountersignError } from "countersign";

/** Runs a program for its exit code. A set-up that cannot work is told in a sentence; anything else is a defect and keeps its stack. */
export async function told(stderr: NodeJS.WritableStream, run: () => Promise<number>): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    stderr.write(`${error.message}\n`);
    return 1;
  }
}
