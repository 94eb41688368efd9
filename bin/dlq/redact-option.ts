import type { Command } from 'commander';
import { Redaction } from '../../account/redaction/redaction';

/** The option of a command that shows messages. */
export interface RedactOptions {
  /** Paths. @default - DLO_REDACT, separated by semicolons */
  readonly redact?: readonly string[];
}

export const REDACT_HELP = `--redact hides what a JMESPath finds in bodies: names, *, [n], [*] and [?condition], such as card.number. It is tried at
every level of a body, and in JSON inside of strings. What it finds is hidden in other texts as well, from four
characters. A body that is not JSON is hidden completely. DLO_REDACT has paths for every command, separated by ;.`;

export function addRedactOption(command: Command): Command {
  return command.option(
    '--redact <path>',
    'hide what this JMESPath finds in bodies; can be repeated (default: DLO_REDACT)',
    (path: string, paths: readonly string[] = []) => [...paths, path],
  );
}

export function redactPathsOf({ redact = [] }: RedactOptions): readonly string[] {
  const usual = (process.env['DLO_REDACT'] ?? '').split(';').filter(path => path.trim() !== '');
  return [...usual, ...redact];
}

/** @throws BadInput when a path is not valid */
export function redactionOf(options: RedactOptions): Redaction {
  return new Redaction(redactPathsOf(options));
}
