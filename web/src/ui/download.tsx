import { fileAt } from "../api/http.js";

interface DownloadProps {
  readonly path: string;
  readonly label: string;
  readonly note: string;
}

/** Looks like a button and is a link: the browser itself takes the file, under the name that the server gives it. */
export function Download({ path, label, note }: DownloadProps) {
  return (
    <a
      className="inline-flex min-h-11 items-center rounded border border-edge bg-sheet px-4 font-medium hover:bg-wash"
      href={fileAt(path)}
      download
      title={note}
    >
      {label}
    </a>
  );
}
