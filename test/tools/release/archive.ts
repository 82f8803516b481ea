import { execFileSync } from 'node:child_process';
import { renameSync } from 'node:fs';

/** Of the same files the same bytes: in one order, with one date, owned by nobody. */
export function packFolder(options: { parent: string; name: string; seconds: number; to: string }): void {
  const { parent, name, seconds, to } = options;
  const plain = `${to}.tar`;
  execFileSync('tar', [
    ...['--create', '--file', plain, '--directory', parent, '--format=gnu', '--sort=name'],
    ...[`--mtime=@${seconds}`, '--owner=0', '--group=0', '--numeric-owner', '--mode=u+rw,go+rX,go-w', name],
  ]);
  compress(plain, to);
}

/** The files of the commit, and nothing that lies beside them. */
export function packSource(options: { root: string; name: string; to: string }): void {
  const { root, name, to } = options;
  const plain = `${to}.tar`;
  execFileSync('git', ['archive', '--format=tar', `--prefix=${name}/`, `--output=${plain}`, 'HEAD'], { cwd: root });
  compress(plain, to);
}

/** Without name and date in its header. The best level takes twice as long, for less than a hundredth. */
function compress(plain: string, to: string): void {
  execFileSync('gzip', ['--no-name', '--force', plain]);
  renameSync(`${plain}.gz`, to);
}
