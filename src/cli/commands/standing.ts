import type { DeviceView, GrantView } from "../../client/index.js";
import { localTime } from "../../terminal/local-time.js";
import { EXIT } from "../console.js";
import type { Frame } from "../frame.js";
import { signedIn } from "../signed-in.js";
import { table } from "../table.js";
import { keyCommands } from "./keys.js";

/** What stands without asking: grants, keys, devices. A terminal lists and takes away; what gives more is for the browser. */
export function standingCommands({ program, run }: Frame): void {
  const grants = program.command("grants").description("what runs without asking because you said so");
  grants
    .command("list", { isDefault: true })
    .description("list them")
    .action(
      run(async (console, options) => {
        const listed = await signedIn(console, options).get<{ grants: GrantView[] }>("/v1/grants");
        console.answer(listed.grants, () =>
          table(
            ["grant", "agent", "covers", "used", "until"],
            listed.grants.map(({ grantId, agentId, agentName = agentId, text, used, until }) => [
              grantId,
              agentName,
              text,
              String(used),
              localTime(until),
            ]),
            "There are no grants.",
          ),
        );
        return EXIT.ok;
      }),
    );
  grants
    .command("revoke <grant>")
    .description("end one at once")
    .action(
      run(async (console, options, grant = "") => {
        await signedIn(console, options).delete(`/v1/grants/${encodeURIComponent(grant)}`);
        console.answer({ revoked: grant }, () => "Revoked. The next such call asks.");
        return EXIT.ok;
      }),
    );
  keyCommands({ program, run });
  deviceCommands({ program, run });
}

function deviceCommands({ program, run }: Frame): void {
  const devices = program.command("devices").description("machines that keys work from");
  devices
    .command("list", { isDefault: true })
    .description("list them; those that wait are approved in the browser")
    .action(
      run(async (console, options) => {
        const listed = await signedIn(console, options).get<{ devices: DeviceView[] }>("/v1/devices");
        console.answer(listed.devices, () =>
          table(
            ["device", "label", "fingerprint", "status"],
            listed.devices.map(({ deviceId, label, fingerprint, status }) => [deviceId, label, fingerprint, status]),
            "There are no devices.",
          ),
        );
        return EXIT.ok;
      }),
    );
  for (const verb of ["deny", "revoke"] as const) {
    devices
      .command(`${verb} <device>`)
      .description(verb === "deny" ? "refuse one that waits" : "end one at once")
      .action(
        run(async (console, options, device = "") => {
          await signedIn(console, options).post(`/v1/devices/${encodeURIComponent(device)}/${verb}`);
          console.answer({ [verb]: device }, () => "Done.");
          return EXIT.ok;
        }),
      );
  }
}
