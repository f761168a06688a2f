import { describe, expect, it } from "vitest";
import { type BareStandIn, bare, reasonOf } from "./bare.js";
import { APPROVE, asShown, endedFace, hostileFace, sampleFace } from "./sample-face.js";

interface Traits {
  /** What whoever presses a button is shown besides the new card. */
  readonly notice: string | undefined;
  /** The id of a message that the app has not sent, in the platform's form. */
  readonly otherMessage: string;
}

/** What a channel does for any host, whether or not a desk stands behind it. */
export function describeBareChannel(
  name: "slack" | "telegram",
  open: () => Promise<BareStandIn>,
  { notice, otherMessage }: Traits,
): void {
  describe(`${name}: cards without a desk`, () => {
    it("have their buttons and link, and nothing that the channel did not author", async () => {
      const { platform, started, team } = await bare(open());
      const channel = await started();
      const { messageId } = await channel.deliver(team, sampleFace(), "d1");
      const [seen] = platform.seen(team.id);
      expect(seen).toMatchObject({
        id: messageId,
        buttons: ["Approve", "Deny"],
        links: ["https://countersign.example/approvals/a1"],
        markup: [],
      });
      expect(seen?.text).toContain('body: "See https://example.com/report"');
    });

    it("bring a click back with who, where and what, and are drawn anew in their place", async () => {
      const { platform, events, started, team } = await bare(open());
      const channel = await started();
      events.answer = async () => ({ kind: "success", text: "Approved", face: endedFace() });
      const { messageId } = await channel.deliver(team, sampleFace(), "d1");
      expect(await platform.click(platform.people.ann, messageId, "Approve")).toBe(notice);
      expect(events.clicks).toEqual([
        {
          eventId: expect.any(String) as string,
          account: { channel: name, tenant: platform.tenant, id: platform.people.ann },
          messageId,
          chatId: team.id,
          value: APPROVE,
        },
      ]);
      expect(platform.seen(team.id)).toMatchObject([{ id: messageId, buttons: [], links: [] }]);
      expect(platform.seen(team.id)[0]?.text).toContain("Approved by Ann.");
    });

    it("give a click that is delivered again one event id, and the next press another (attack E4)", async () => {
      const { platform, events, started, ann } = await bare(open());
      const channel = await started();
      const { messageId } = await channel.deliver(ann, sampleFace(), "d1");
      await platform.click(platform.people.ann, messageId, "Approve", { times: 3 });
      expect(events.clicks).toHaveLength(3);
      expect(new Set(events.clicks.map(({ eventId }) => eventId)).size).toBe(1);
      await platform.click(platform.people.ann, messageId, "Approve");
      expect(new Set(events.clicks.map(({ eventId }) => eventId)).size).toBe(2);
    });

    it("report the message and chat that the platform names, whatever the button claims (attack E7)", async () => {
      const { platform, events, started, ann, team } = await bare(open());
      const channel = await started();
      const { messageId } = await channel.deliver(ann, sampleFace(), "d1");
      const elsewhere = { chatId: team.id, messageId: otherMessage };
      await platform.click(platform.people.eve, messageId, "Approve", elsewhere);
      expect(events.clicks[0]).toMatchObject({ ...elsewhere, value: APPROVE });
    });

    it("are answered while the host is busy with what was said before", async () => {
      const { platform, events, started, ann } = await bare(open());
      const channel = await started();
      const { messageId } = await channel.deliver(ann, sampleFace(), "d1");
      events.said = () => new Promise(() => undefined);
      await platform.say(platform.people.ann, ann.id, "write me a poem");
      expect(await platform.click(platform.people.ann, messageId, "Approve")).toBe("Approved");
    });

    it("say so when they are gone, and when their chat is", async () => {
      const { platform, started, ann } = await bare(open());
      const channel = await started();
      expect(await reasonOf(channel.redraw({ chat: ann, messageId: otherMessage }, endedFace()))).toBe("gone");
      platform.remove(ann.id);
      expect(await reasonOf(channel.deliver(ann, sampleFace(), "d1"))).toBe("gone");
    });

    it("show hostile values as they are, and so do words (attack A7)", async () => {
      const { platform, started, team } = await bare(open());
      const channel = await started();
      await channel.deliver(team, hostileFace(), "d1");
      await channel.say(
        team,
        "See <https://evil.example|this> or https://evil.example *now* <!channel> @ann_the_owner",
      );
      expect(platform.seen(team.id).map(({ markup }) => markup)).toEqual([[], []]);
    });

    it("are refused when they are too large, where words go out in several messages", async () => {
      const { platform, started, ann } = await bare(open());
      const channel = await started();
      await channel.say(ann, "word ".repeat(1_100));
      expect(platform.seen(ann.id)).toHaveLength(2);
      const large = sampleFace({ sections: [{ title: asShown("Arguments"), lines: [asShown("x".repeat(20_000))] }] });
      expect(channel.fits(large)).toBe(false);
      expect(await reasonOf(channel.deliver(ann, large, "d1"))).toBe("refused");
      expect(platform.seen(ann.id)).toHaveLength(2);
    });
  });

  describe(`${name}: a line without a desk`, () => {
    it("tells machines, forwards and edits apart from what a person says now (attacks E10, E11)", async () => {
      const { platform, events, started, ann } = await bare(open());
      await started();
      for (const how of [{ machine: true }, { forwarded: true }, { edited: true }])
        await platform.say(platform.people.ann, ann.id, "approve", how);
      expect(events.messages.map(({ from, secondHand }) => [from, secondHand])).toEqual([
        ["machine", false],
        ["person", true],
        ["person", true],
      ]);
    });

    it("says how long to wait, and that nobody answers, without trying by itself", async () => {
      const { platform, started, ann } = await bare(open());
      const channel = await started();
      platform.fail("busy", 1);
      const busy = { reason: "busy", retryAfter: 1_000 };
      await expect(channel.deliver(ann, sampleFace(), "d1")).rejects.toMatchObject(busy);
      platform.fail("down", 1);
      expect(await reasonOf(channel.deliver(ann, sampleFace(), "d1"))).toBe("down");
      await platform.down();
      expect(await reasonOf(channel.deliver(ann, sampleFace(), "d1"))).toBe("down");
      expect(platform.seen(ann.id)).toEqual([]);
    });

    it("cannot start while nobody answers, and can later", async () => {
      const { platform, events, ann } = await bare(open());
      const channel = platform.channel();
      await platform.down();
      expect(await reasonOf(channel.start(events))).toBe("down");
      await platform.up();
      await channel.start(events);
      await platform.say(platform.people.ann, ann.id, "approve");
      expect(events.messages).toHaveLength(1);
    });
  });
}
