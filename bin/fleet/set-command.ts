import { isDeepStrictEqual } from 'node:util';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { dloCommand } from '../../account/printed-commands';
import type { EndpointDescription } from '../../fleet';
import { checkVersion, readEndpoint } from '../../fleet/client-input';
import { type EndpointName, type FleetEndpoint, groupOf } from '../../policy/fleet/endpoint';
import { withoutUndefined } from '../../policy/json-members';
import { countOf } from '../shared/command-line';
import { type AtFleet, atFleet, ENDPOINT_HELP, endpointNamed, type FleetContext } from './at-fleet';
import { changeCommandNamed, planOrDo } from './change-commands';
import {
  addEndpointOptions,
  checkEndpoint,
  ENDPOINT_MEMBERS,
  type EndpointOptions,
  endpointWords,
  givenMembers,
  MEMBERS_HELP,
} from './endpoint-options';

type Member = keyof typeof ENDPOINT_MEMBERS;

interface SetOptions extends EndpointOptions {
  readonly unset?: readonly Member[];
  readonly expectVersion?: number;
}

const HELP = `What is not given stays: its other members, its secret and its state. --type replaces all types, and a member of FILE
replaces the whole member. --expect-version makes it fail if another writer has changed the endpoint since then: the printed
plan has the version that was read.
${ENDPOINT_HELP}
${MEMBERS_HELP}
  dlo fleet set acme/orders --url https://new.acme.example/hook
  dlo fleet set acme/orders --unset maxPerSecond --execute
`;

const PERMISSIONS = `lambda:ListFunctions and dynamodb:GetItem; with --execute also dynamodb:PutItem and
dynamodb:DeleteItem, and for a new clientSecret kms:Decrypt and kms:GenerateDataKey.`;

const OPTIONAL = Object.keys(ENDPOINT_MEMBERS).filter(it => it !== 'url' && it !== 'types');

/** `dlo fleet set`. */
export function setCommand(context: FleetContext): Command {
  const command = changeCommandNamed('set', 'change an endpoint; the plan shows the difference', HELP, PERMISSIONS);
  return addEndpointOptions(command)
    .argument('ENDPOINT', 'TENANT/NAME, or NAME with --tenant')
    .addOption(
      new Option('--unset <member>', 'remove a member; can be repeated').choices(OPTIONAL).argParser(unsetMember),
    )
    .option('--expect-version <number>', 'the version that it must have (default: any)', countOf)
    .action(async (text: string, options: SetOptions) => {
      const name = endpointNamed(text, options);
      const given = await givenMembers(options, context);
      await atFleet(options, context, async at => {
        const before = await at.client.get(name);
        checkVersion(name, before, options.expectVersion);
        const after = changed(before, { ...given, ...name }, options);
        checkEndpoint(after, at, before);
        await setEndpoint(before, after, at, options, context);
      });
    });
}

function unsetMember(member: string, members: readonly string[] = []): readonly string[] {
  if (!OPTIONAL.includes(member)) throw new InvalidArgumentError(`Allowed choices are ${OPTIONAL.join(', ')}.`);
  return [...members, member];
}

function changed(
  before: EndpointDescription,
  given: Partial<FleetEndpoint> & EndpointName,
  { unset = [] }: SetOptions,
) {
  const without = Object.fromEntries(unset.map(member => [member, undefined]));
  return withoutUndefined({ ...readEndpoint(before).endpoint, ...given, ...without });
}

/** What changes, as people see it. Credentials are not shown. */
function differences(before: FleetEndpoint, after: FleetEndpoint) {
  return Object.entries(ENDPOINT_MEMBERS).flatMap(([member, { label, text }]) => {
    const name = member as Member;
    if (isDeepStrictEqual(before[name], after[name])) return [];
    const [from = 'none', to = 'none'] = [text(before), text(after)];
    return [{ member, label, from, to, says: from === to ? `${to} (a part that is not shown)` : `${from} -> ${to}` }];
  });
}

async function setEndpoint(
  before: EndpointDescription,
  after: FleetEndpoint,
  at: AtFleet,
  options: SetOptions,
  context: FleetContext,
): Promise<void> {
  const { health, version } = before;
  const [group, changes] = [groupOf(after), differences(before, after)];
  const enable = dloCommand(['fleet', 'enable', group, ...at.named, '--execute'], at.site);
  const isStopped = health === 'open' || health === 'disabled';
  const unset = (options.unset ?? []).flatMap(it => ['--unset', it]);
  await planOrDo(
    {
      words: ['set', group, ...endpointWords(options), ...unset, '--expect-version', String(version)],
      resource: group,
      title: `Change ${group}`,
      facts: changes.map(({ label, says }) => [label, says]),
      notes: isStopped ? [`It is ${health}: its messages wait. When it works again, this sends them: ${enable}`] : [],
      details: {
        tenant: after.tenant,
        endpoint: after.endpoint,
        changes: changes.map(({ member, from, to }) => ({ member, from, to })),
      },
      ...(changes.length === 0 && { nothing: `${group} is so already` }),
      work: async () => {
        const put = await at.client.put(after, { version });
        return { document: { version: put.version }, recorded: { version: put.version } };
      },
    },
    at,
    options,
    context,
  );
}
