import type { AgentView, DeviceView, GrantView, IssuedKey } from "../../client/index.js";
import { EXIT } from "../console.js";
import type { Frame } from "../frame.js";
import { signedIn } from "../signed-in.js";
import { table } from "../table.js";

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
              until,
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

function keyCommands({ program, run }: Frame): void {
  const keys = program.command("keys").description("agents and their API keys");
  keys
    .command("list", { isDefault: true })
    .description("list agents")
    .action(
      run(async (console, options) => {
        const { agents } = await signedIn(console, options).get<{ agents: AgentView[] }>("/v1/agents");
        const live = agents.filter(({ revokedAt }) => revokedAt === null);
        console.answer(agents, () =>
          table(
            ["agent", "name", "kind", "scopes"],
            live.map(({ agentId, name, kind, scopes }) => [agentId, name, kind, scopes.join(" ")]),
            "There are no agents. Make one: countersign keys create NAME --scope 'email.*'",
          ),
        );
        return EXIT.ok;
      }),
    );
  keys
    .command("create <name>")
    .description("make an agent with its first key, which is shown once")
    .requiredOption("--scope <scopes>", "tools it may ask for, comma between several: email.send,tasks.*")
    .action(
      run(async (console, options, name = "") => {
        const scopes = (options["scope"] ?? "").split(",").map((scope) => scope.trim());
        const issued = await signedIn(console, options).post<IssuedKey>("/v1/agents", { name, scopes });
        console.answer(issued, () => [
          issued.apiKey,
          `Shown once. Agent ${issued.agentId}, until ${issued.expiresAt}.`,
        ]);
        return EXIT.ok;
      }),
    );
  keys
    .command("rotate <agent>")
    .description("a new key; the old one works for a day more")
    .action(
      run(async (console, options, agent = "") => {
        const path = `/v1/agents/${encodeURIComponent(agent)}/keys/rotate`;
        const issued = await signedIn(console, options).post<IssuedKey>(path);
        console.answer(issued, () => [issued.apiKey, `Shown once, until ${issued.expiresAt}.`]);
        return EXIT.ok;
      }),
    );
  keys
    .command("revoke <agent>")
    .description("end an agent and all its keys at once")
    .action(
      run(async (console, options, agent = "") => {
        await signedIn(console, options).delete(`/v1/agents/${encodeURIComponent(agent)}`);
        console.answer({ revoked: agent }, () => "Revoked, everywhere and at once.");
        return EXIT.ok;
      }),
    );
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
