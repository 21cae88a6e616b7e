import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { isAbort, wordsOf } from "../api/http";
import { sourceContent, type Place } from "../api/service";
import { Trouble } from "../ui/controls";

export function ImageView({ at, name }: { at: Place; name: string }): JSX.Element {
  const [address, setAddress] = useState("");
  const [trouble, setTrouble] = useState("");
  useEffect(() => {
    const control = new AbortController();
    let made = "";
    sourceContent(at, control.signal).then(
      (blob) => {
        made = URL.createObjectURL(blob);
        setAddress(made);
      },
      (error: unknown) => isAbort(error) || setTrouble(wordsOf(error).text),
    );
    return () => {
      control.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, []); // a pane has one file
  return (
    <div class="source-body padded">
      <Trouble text={trouble} />
      {address ? <img src={address} alt={name} /> : null}
    </div>
  );
}
