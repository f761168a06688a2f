import type { Answer, ApprovalView } from "countersign/client";
import { useEffect, useState } from "react";
import { decideWithProof } from "../api/passkeys.js";
import { useInbox } from "../inbox/inbox-provider.js";
import { useMe } from "../shell/session.js";
import { decisionProblem, isSilent } from "../ui/problem.js";
import { useWords } from "../words/words.js";

export type Sending = "idle" | "sending" | "passkey";

/**
 * Sends one answer and reads what became of it. A refusal stays on the screen until the next try; that nobody answered, until the
 * server is back and its record says what holds.
 */
export function useDecide(approval: ApprovalView) {
  const words = useWords();
  const { refresh, connection } = useInbox();
  const { passkeys } = useMe();
  const [sending, setSending] = useState<Sending>("idle");
  const [wrong, setWrong] = useState<unknown>();
  useEffect(() => {
    if (connection === "live") setWrong((before: unknown) => (isSilent(before) ? undefined : before));
  }, [connection]);
  const passkeyFor = (tier: ApprovalView["riskTier"]) =>
    passkeys > 0 && (tier === "R4" || approval.audience.assurance === "passkey_over_hash");

  const send = async (answer: Omit<Answer, "toolCallHash">, tier = approval.riskTier): Promise<boolean> => {
    setSending("sending");
    setWrong(undefined);
    try {
      await decideWithProof(
        approval.approvalId,
        { ...answer, toolCallHash: approval.toolCallHash },
        { passkey: answer.decision === "approve" && passkeyFor(tier), onPasskey: () => setSending("passkey") },
      );
      await refresh(approval.approvalId);
      return true;
    } catch (error) {
      setWrong(error);
      const now = await refresh(approval.approvalId);
      // Only the one request was lost: the record is here and says that it did not count.
      if (isSilent(error) && now?.state === "pending") setWrong(new Error("The answer did not arrive."));
      return false;
    } finally {
      setSending("idle");
    }
  };
  const problem = wrong === undefined ? undefined : decisionProblem(wrong, words);
  return { send, sending, problem, passkeyFor };
}
