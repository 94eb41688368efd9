import type { Command } from 'commander';
import type { AuditedChange } from '../../account/changes/audit-record';
import type { Connection } from '../../account/connection/connection';
import { dloCommand, type Site } from '../../account/printed-commands';
import { AUDIT_HELP, type AuditOptions, addAuditOption, withAudit } from './audit';
import { type CommandContext, type CommandOptions, EXIT_CODES } from './command-line';
import { writeJson } from './print';
import { aboutLines, wrap } from './terminal-text';

export interface ChangeOptions extends CommandOptions, AuditOptions {
  readonly execute?: boolean;
}

/** What a change did. */
export interface Outcome {
  /** For `--json`. */
  readonly document: object;
  /** For people. @default - `Done.` */
  readonly lines?: readonly string[];
  /** For the audit record: it must contain no secret. @default - nothing */
  readonly recorded?: object;
}

/** A change that a command plans, and carries out with `--execute`. */
export interface PlannedChange {
  /** The command that carries it out, after `dlo`. */
  readonly words: readonly string[];
  /** The first line. */
  readonly title: string;
  /** Facts with their labels. */
  readonly facts: readonly (readonly [string, ...string[]])[];
  readonly notes: readonly string[];
  /** The audit record. It contains no secret. */
  readonly change: AuditedChange;
  /** For `--json`. */
  readonly document: object;
  /** Why nothing is to be done. @default - something is */
  readonly nothing?: string | undefined;
  readonly work: () => Promise<Outcome>;
}

const WIDTH = 100;

/** Prints the plan, or with `--execute` carries it out. */
export async function planOrCarryOut(
  { words, title, facts, notes, change, document, nothing, work }: PlannedChange,
  { aws, site }: { readonly aws: Connection; readonly site: Site },
  options: ChangeOptions,
  context: Pick<CommandContext, 'io' | 'nowMs'>,
): Promise<void> {
  const { io } = context;
  const executed = options.execute === true && nothing === undefined;
  const recordedOf = ({ recorded = {} }: Outcome) => recorded;
  const outcome = executed ? await withAudit(aws, options, context, change, work, recordedOf) : undefined;
  if (options.json) return writeJson(io, { ...document, executed, ...outcome?.document });
  if (nothing !== undefined) return void io.stdout.write(`Nothing to do: ${nothing}.\n`);
  const again = dloCommand([...words, '--execute'], site);
  const end = outcome ? (outcome.lines ?? ['Done.']) : [`Nothing has been changed: ${again} does it.`];
  const lines = [
    title,
    ...aboutLines(facts).map(line => `  ${line}`),
    ...notes.flatMap(note => wrap(`* ${note}`, WIDTH)),
    ...end,
  ];
  io.stdout.write(`${lines.join('\n')}\n`);
}

/** Adds the options and the help of a command that plans a change. */
export function addChangeOptions(command: Command, help: string, permissions: string): Command {
  return addAuditOption(command)
    .option('--execute', 'do it')
    .addHelpText(
      'after',
      `
${help}

It needs the permissions ${permissions} ${AUDIT_HELP}

${EXIT_CODES}`,
    );
}
