import { statSync, watch } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../../account/errors';
import { AssemblyError, type LocalAws, StackFailed } from '../../local';
import type { Io } from '../shared/io';

/** How long the files of an assembly must not have changed, in milliseconds of real time: `cdk synth` writes several. */
const SETTLED_MS = 300;

/** Manifests and templates. `cdk synth` writes the manifest of the whole assembly every time. */
const WATCHED = /\.(json|ya?ml|template)$/;

/**
 * Updates the stacks whenever their assemblies change. An assembly that cannot be deployed is reported, and the stacks
 * stay as they are until the next change.
 *
 * @returns a function that stops it
 */
export function updateOnChange(
  aws: LocalAws,
  apps: readonly string[],
  parameters: Readonly<Record<string, string>>,
  io: Io,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let updating: Promise<void> = Promise.resolve();
  const changed = (_event: string, file: string | null): void => {
    if (file !== null && !WATCHED.test(file)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      updating = updating.then(() => update(() => aws.update(apps, { parameters }), io));
    }, SETTLED_MS);
  };
  // An editor may replace a file by another, so its folder is watched.
  const folders = new Set(apps.map(app => (statSync(app).isFile() ? path.dirname(app) : app)));
  const watchers = [...folders].map(folder => watch(folder, changed));
  return () => {
    clearTimeout(timer);
    for (const watcher of watchers) watcher.close();
  };
}

async function update(change: () => Promise<readonly string[]>, io: Io): Promise<void> {
  try {
    const names = await change();
    io.stderr.write(names.length === 0 ? 'No stack has changed.\n' : `Updated ${names.join(', ')}.\n`);
  } catch (error) {
    const problems =
      error instanceof AssemblyError || error instanceof StackFailed ? error.problems : [messageOf(error)];
    io.stderr.write(problems.map(problem => `dlo: ${problem}\n`).join(''));
  }
}
