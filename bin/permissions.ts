import { listedNames } from './text';

/** What a command takes in some cases, beside what it takes always. */
export interface ExtraPermissions {
  /** As the end of a sentence: `with --stack`. */
  readonly when: string;
  readonly actions: readonly string[];
}

/** What a command takes, as IAM names actions. */
export interface CommandPermissions {
  /** As its user types it after `dlo`: `dlq ls`. */
  readonly command: string;
  /** To find out, or to plan. */
  readonly reads: readonly string[];
  /** To find out more. @default - nothing more */
  readonly more?: readonly ExtraPermissions[];
  /** Beside those, with `--execute`. @default - it changes nothing */
  readonly executes?: readonly string[];
  /** Of the key, where a queue is encrypted with one of KMS. @default - none */
  readonly keys?: { readonly reads?: readonly string[]; readonly executes?: readonly string[] };
}

/** All that a command takes which only finds out, or plans, but for what it takes of keys. */
export function readsOf({ reads, more = [] }: CommandPermissions): readonly string[] {
  return [...reads, ...more.flatMap(({ actions }) => actions)];
}

const byName = (a: string, b: string) => (a < b ? -1 : 1);

/** All that a command takes, each once, by name. */
export function allTaken(permissions: CommandPermissions, isExecuting: boolean): readonly string[] {
  const { executes = [], keys = {} } = permissions;
  const acting = isExecuting ? [...executes, ...(keys.executes ?? [])] : [];
  return [...new Set([...readsOf(permissions), ...(keys.reads ?? []), ...acting])].sort(byName);
}

const OF_A_KEY = 'of a queue that is encrypted with a key of yours';

/** In which cases a command takes more than always. */
function cases({ more = [], executes = [], keys = {} }: CommandPermissions): readonly ExtraPermissions[] {
  const all = [
    ...more,
    { when: 'with --execute', actions: executes },
    { when: OF_A_KEY, actions: keys.reads ?? [] },
    { when: `with --execute, ${OF_A_KEY}`, actions: keys.executes ?? [] },
  ];
  return all.filter(({ actions }) => actions.length > 0);
}

/** What a command takes, as its help says it. */
export function permissionsText(permissions: CommandPermissions): string {
  const { command, reads } = permissions;
  const texts = [
    `It takes the permissions\n${listedNames(reads)}`,
    ...cases(permissions).map(({ when, actions }) => `${when} also\n${listedNames(actions)}`),
  ];
  return `${texts.join(';\n')}.\ndlo dlq permissions ${command.replace(/^dlq /, '')} prints them as a policy.`;
}
