/**
 * Gives a text to the person as a file. The desktop lets nothing be downloaded: there it goes to the clipboard, and the
 * answer says which it was.
 */
export async function handOver(name: string, text: string, type: string): Promise<'saved' | 'copied'> {
  if (window.sluice !== undefined) {
    await navigator.clipboard.writeText(text);
    return 'copied';
  }
  const address = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  return 'saved';
}
