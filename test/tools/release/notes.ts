/** The chapter of a version; of the first release the one that is not named yet. */
export function notesOf(changelog: string, version: string): string {
  const chapters = changelog.split(/^(?=## )/m);
  const chapter =
    chapters.find((text) => text.startsWith(`## [${version}]`) || text.startsWith(`## ${version}`)) ??
    chapters.find((text) => /^## \[?Unreleased/i.test(text));
  if (chapter === undefined) throw new Error(`CHANGELOG.md has no chapter for ${version}, and none that is unreleased`);
  return `# Sluice ${version}\n\n${chapter.split('\n').slice(1).join('\n').trim()}\n`;
}
