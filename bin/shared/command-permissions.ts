import { listedNames } from './terminal-text';

/** Permissions that a command needs in some cases. */
interface ExtraPermissions {
  /** When, as the end of a sentence: `with --stack`. */
  readonly when: string;
  readonly actions: readonly string[];
}

/** The IAM actions that a command needs. */
export interface CommandPermissions {
  /** The command after `dlo`: `dlq ls`. */
  readonly command: string;
  /** To read and plan. */
  readonly reads: readonly string[];
  /** To read more in some cases. @default - none */
  readonly more?: readonly ExtraPermissions[];
  /** With `--execute`, in addition. @default - the command changes nothing */
  readonly executes?: readonly string[];
  /** With `--execute`, permissions that it can do without. @default - none */
  readonly executesMore?: readonly ExtraPermissions[];
  /** On the KMS key of an encrypted queue. @default - none */
  readonly keys?: { readonly reads?: readonly string[]; readonly executes?: readonly string[] };
}

/** The permissions of a command without `--execute`, except those on keys. */
export function readsOf({ reads, more = [] }: CommandPermissions): readonly string[] {
  return [...reads, ...more.flatMap(({ actions }) => actions)];
}

const byName = (a: string, b: string) => (a < b ? -1 : 1);

/** All permissions of a command, sorted and without duplicates. */
export function allTaken(permissions: CommandPermissions, isExecuting: boolean): readonly string[] {
  const { executes = [], executesMore = [], keys = {} } = permissions;
  const more = executesMore.flatMap(({ actions }) => actions);
  const acting = isExecuting ? [...executes, ...more, ...(keys.executes ?? [])] : [];
  return [...new Set([...readsOf(permissions), ...(keys.reads ?? []), ...acting])].sort(byName);
}

const OF_A_KEY = 'for a queue that is encrypted with your own key';

function cases({
  more = [],
  executes = [],
  executesMore = [],
  keys = {},
}: CommandPermissions): readonly ExtraPermissions[] {
  const all = [
    ...more,
    { when: 'with --execute', actions: executes },
    ...executesMore,
    { when: OF_A_KEY, actions: keys.reads ?? [] },
    { when: `with --execute, ${OF_A_KEY}`, actions: keys.executes ?? [] },
  ];
  return all.filter(({ actions }) => actions.length > 0);
}

export function permissionsText(permissions: CommandPermissions): string {
  const { command, reads } = permissions;
  const texts = [
    `It needs the permissions\n${listedNames(reads)}`,
    ...cases(permissions).map(({ when, actions }) => `${when} also\n${listedNames(actions)}`),
  ];
  return `${texts.join(';\n')}.\ndlo dlq permissions ${command.replace(/^dlq /, '')} prints them as a policy.`;
}
