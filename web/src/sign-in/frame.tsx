import type { ReactNode } from "react";
import { Mark } from "../shell/mark.js";
import { useWords } from "../words/words.js";

export function Frame({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const words = useWords();
  return (
    <main className="mx-auto flex min-h-dvh max-w-md flex-col justify-center gap-5 p-6">
      <div className="flex items-center gap-2">
        <Mark />
        <span className="font-semibold">{words.product}</span>
      </div>
      <h1 className="text-[22px]/[30px] font-semibold">{title}</h1>
      {children}
    </main>
  );
}
