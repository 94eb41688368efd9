import type { Stack } from 'aws-cdk-lib';
import { PERMISSIONS } from '../../bin/dlq/permissions-command';
import { addRole, idOf, type OperatedAccount } from './operated-account';

/** The permissions in the help of each command, by its arguments. */
export type Takes = Readonly<Record<string, readonly string[]>>;

const everythingOf = (takes: Takes) => [...new Set(Object.values(takes).flat())];

/**
 * Adds for each command a role with exactly its permissions, and roles that each lack one of them.
 * @param optional permissions of every role, without which a command continues
 */
export function addOperators(stack: Stack, takes: Takes, optional: readonly string[] = []): void {
  for (const [command, actions] of Object.entries(takes))
    addRole(stack, `May${idOf(command)}`, [...actions, ...optional]);
  const all = everythingOf(takes);
  for (const lacking of all) {
    const others = all.filter(action => action !== lacking);
    addRole(stack, `Lacks${idOf(lacking)}`, [...others, ...optional]);
  }
}

/** @param list the permissions of `ls`, to which the help of other commands refers */
export function testPermissions(takes: Takes, list: readonly string[], account: () => OperatedAccount): void {
  test.each(Object.keys(takes))('%s takes no more than its help says', async command => {
    const { exitCode, err } = await account().dlo(command, await account().as(`May${idOf(command)}`));
    expect([exitCode, err]).toEqual([0, '']);
    const [name = ''] = command.split(' ');
    const help = (await account().dlo(`${name} --help`)).out.replace(/\s+/g, ' ');
    const [, printed] = /printed by dlo dlq permissions (\w+)/.exec(help) ?? [];
    const { reads = [], executes = [] } = PERMISSIONS.find(it => it.command === `dlq ${printed}`) ?? {};
    const of = /the permissions of dlo \w+ ls/.test(help) ? list : [];
    const said = [...of, help, ...reads, ...executes].join(' ');
    expect((takes[command] ?? []).filter(action => !said.includes(action))).toEqual([]);
  });

  test.each(everythingOf(takes))('needs %s, and says so where it is lacking', async action => {
    const environment = await account().as(`Lacks${idOf(action)}`);
    for (const [command, actions] of Object.entries(takes)) {
      const { exitCode, out, err } = await account().dlo(command, environment);
      if (!actions.includes(action)) expect([command, exitCode, err]).toEqual([command, 0, '']);
      else if (exitCode === 0) {
        // The command can do without it, and says what is unknown.
        expect([command, out]).toEqual([command, expect.not.stringMatching(/^$/)]);
        expect(err.toLowerCase()).toContain(`without the permission ${action}`.toLowerCase());
        expect(err.toLowerCase()).toMatch(
          new RegExp(`^ *\\{"effect":"allow","action":\\[.*"${action}"`.toLowerCase(), 'm'),
        );
      } else {
        expect([command, exitCode, out]).toEqual([command, 1, '']);
        expect(err).toMatch(
          new RegExp(`dlo: (${action} is denied: |.* to perform: ${action} )|without the permission ${action}`, 'i'),
        );
        expect(err).toMatch(new RegExp(`{"Effect":"Allow","Action":\\[?"[^\\]]*${action}"`, 'i'));
      }
    }
  });
}
