import type { Answer, ApprovalView } from "countersign/client";
import { useState } from "react";
import { decideWithProof } from "../api/passkeys.js";
import { useInbox } from "../inbox/inbox-provider.js";
import { useMe } from "../shell/session.js";
import { problemText } from "../ui/problem.js";
import { useWords } from "../words/words.js";

export type Sending = "idle" | "sending" | "passkey";

/** Sends one answer and reads what became of it. A refusal stays on the screen until the next try. */
export function useDecide(approval: ApprovalView) {
  const words = useWords();
  const { refresh } = useInbox();
  const { passkeys } = useMe();
  const [sending, setSending] = useState<Sending>("idle");
  const [problem, setProblem] = useState<string>();
  const passkeyFor = (tier: ApprovalView["riskTier"]) =>
    passkeys > 0 && (tier === "R4" || approval.audience.assurance === "passkey_over_hash");

  const send = async (answer: Omit<Answer, "toolCallHash">, tier = approval.riskTier): Promise<boolean> => {
    setSending("sending");
    setProblem(undefined);
    try {
      await decideWithProof(
        approval.approvalId,
        { ...answer, toolCallHash: approval.toolCallHash },
        { passkey: answer.decision === "approve" && passkeyFor(tier), onPasskey: () => setSending("passkey") },
      );
      await refresh(approval.approvalId);
      return true;
    } catch (error) {
      setProblem(problemText(error, words));
      await refresh(approval.approvalId);
      return false;
    } finally {
      setSending("idle");
    }
  };
  return { send, sending, problem, passkeyFor };
}
