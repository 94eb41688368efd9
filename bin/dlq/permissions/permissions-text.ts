import { listedNames } from '../../wording';
import type { CommandPermissions, ExtraPermissions } from './command-permissions';

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
