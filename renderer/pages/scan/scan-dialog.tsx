import { useEffect, useRef, useState } from 'react';
import { codeReader, pictureIn, type ReadCode } from '../../client/codes.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Note } from '../../parts/note.tsx';
import { scanWords } from '../../words/scan-words.ts';

/** How often the camera's picture is looked at. */
const everyMs = 250;

/** A code from a picture or the camera. What it says is handed on as text, and judged as whatever is pasted. */
export function ScanDialog({ onText, onClose }: { onText: (text: string) => void; onClose: () => void }) {
  // Undefined until the browser said whether it can.
  const [read, setRead] = useState<{ readonly by: ReadCode | null }>();
  const [filming, setFilming] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  useEffect(() => void codeReader().then((by) => setRead({ by })), []);
  const by = read?.by ?? null;
  const take = async (file: File | null) => {
    if (file === null || by === null) return;
    const { text, wrong } = await textIn(file, by);
    setTrouble(wrong);
    if (text !== null) onText(text);
  };
  return (
    <Dialog
      open
      title={scanWords.title}
      onClose={onClose}
      actions={<Button onPress={onClose}>{scanWords.close}</Button>}
    >
      <p className="sub">{scanWords.lead}</p>
      {read === undefined ? null : by === null ? (
        <Note tone="wait">{scanWords.cannot}</Note>
      ) : (
        <div className="stack" onPaste={(event) => void take(pictureIn(event.clipboardData.files))}>
          <Field label={scanWords.picture} hint={scanWords.pictureHint} error={trouble}>
            {(tie) => (
              <input
                {...tie}
                type="file"
                accept="image/*"
                className="in"
                onChange={(event) => void take(pictureIn(event.currentTarget.files))}
              />
            )}
          </Field>
          {filming ? (
            <Camera
              by={by}
              onText={onText}
              onTrouble={() => {
                setFilming(false);
                setTrouble(scanWords.noCamera);
              }}
            />
          ) : (
            <div className="row">
              <Button onPress={() => setFilming(true)}>{scanWords.camera}</Button>
            </div>
          )}
        </div>
      )}
    </Dialog>
  );
}

async function textIn(
  file: File,
  by: ReadCode,
): Promise<{ readonly text: string | null; readonly wrong: string | null }> {
  try {
    const picture = await createImageBitmap(file);
    try {
      const text = await by(picture);
      return { text, wrong: text === null ? scanWords.nothing : null };
    } finally {
      picture.close();
    }
  } catch {
    return { text: null, wrong: scanWords.unreadable };
  }
}

/** The camera is on while this is shown, and no longer. */
function Camera({ by, onText, onTrouble }: { by: ReadCode; onText: (text: string) => void; onTrouble: () => void }) {
  const video = useRef<HTMLVideoElement>(null);
  const listener = useRef({ onText, onTrouble });
  listener.current = { onText, onTrouble };
  useEffect(() => {
    const ending = new AbortController();
    film(video.current, by, ending.signal).then(
      (text) => (text === null ? undefined : listener.current.onText(text)),
      () => (ending.signal.aborted ? undefined : listener.current.onTrouble()),
    );
    return () => ending.abort();
  }, [by]);
  return (
    <>
      <p role="status" className="sub">
        {scanWords.looking}
      </p>
      <video ref={video} className="w-full" muted playsInline aria-label={scanWords.looking} />
    </>
  );
}

/** The first code that the camera sees; null where it was ended before. */
async function film(video: HTMLVideoElement | null, by: ReadCode, ending: AbortSignal): Promise<string | null> {
  if (video === null) return null;
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
  try {
    video.srcObject = stream;
    await video.play();
    while (!ending.aborted) {
      const text = await by(video).catch(() => null); // A frame that is not there yet.
      if (text !== null) return text;
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
    return null;
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
}
