import { Api } from "../api.js";
import { EXIT } from "../console.js";
import type { Frame } from "../frame.js";
import { forgetSession, keepSession, signedIn, signInByCode, urlOf } from "../signed-in.js";

/** Signing a terminal in and out. A terminal's session decides up to R2; what is above is decided in the browser. */
export function sessionCommands({ program, run }: Frame): void {
  program
    .command("login")
    .description("sign this terminal in by a code that you enter in your browser")
    .action(
      run(async (console, options) => {
        const url = urlOf(console, options);
        const token = await signInByCode(console, url);
        keepSession(console, { url, token });
        const me = await new Api(url, { token }).get<{ name: string; userId: string }>("/v1/me");
        console.answer(
          { url, userId: me.userId },
          () => `Signed in at ${url} as ${me.name}. This terminal says yes up to “Sensitive”.`,
        );
        return EXIT.ok;
      }),
    );
  program
    .command("logout")
    .description("end this terminal's session")
    .action(
      run(async (console, options) => {
        const api = signedIn(console, options);
        try {
          await api.post("/v1/auth/sign-out");
        } catch (error) {
          // A session that has ended already is what was wanted.
          if ((error as { code?: unknown }).code !== "not_signed_in") throw error;
        } finally {
          forgetSession(console);
        }
        console.answer({ signedOut: true }, () => "Signed out.");
        return EXIT.ok;
      }),
    );
}
