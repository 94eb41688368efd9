import { displayNameOf, parseArn } from '../../policy/arn';
import { listOfOneOrMore } from '../../policy/json-members';
import type { RoleQuestion, ServiceQuestion } from '../../template/access/access-question';
import { type Denial, denialsIn, mayDo, roleMayDo, withinBoundary } from '../../template/access/may-do';
import type { PolicyDocument } from '../../template/access/policy-document';
import { type Answer, allOf } from '../../template/access/text-matching';
import { allKnown, isKnown, knownValue, mapKnown } from '../../template/maybe-known';
import type { RoleFacts } from '../inventory/inventory';
import type { AwsCall, Fix, Guard } from './fix';
import { allowRole } from './grant-access';
import { narrowedDocument, narrowingsFor, narrowingText } from './narrow-denial';

/** What a service wants of a resource, all of it at once. */
interface ServiceAccess {
  readonly asked: readonly ServiceQuestion[];
  readonly guard: Guard;
  /** Allows it in the policy. */
  readonly grant: Fix;
}

/** What a role wants of a resource, all of it at once. */
export interface RoleAccess {
  readonly asked: readonly RoleQuestion[];
  readonly guard: Guard;
  readonly role: RoleFacts;
  /** Allows it in the policy of the resource, which may have to. @default - the role's own policies suffice */
  readonly grant?: Fix;
}

export type Access = ServiceAccess | RoleAccess;

/** One policy with the statements of several. */
function wholeOf(guards: readonly Guard[]): Guard['policy'] {
  const policies = guards.map(it => it.policy);
  const all = allKnown(policies);
  if (!isKnown(all)) return all;
  const statements = all.flatMap(it => (it === undefined ? [] : listOfOneOrMore(it.Statement)));
  return all.every(it => it === undefined) ? undefined : { Statement: statements };
}

function answerOf(access: Access, guards: readonly Guard[]): Answer {
  const [own, boundary, others] = (['identity', 'boundary', 'resource'] as const).map(kind =>
    wholeOf(guards.filter(it => it.kind === kind)),
  );
  if (!('role' in access)) return allOf(access.asked.map(it => mayDo(it, others)));
  const identity = isKnown(access.role.policies) ? mapKnown(own, it => (it ? [it] : [])) : access.role.policies;
  return allOf(access.asked.map(it => roleMayDo(it, { identity, resource: others, boundary })));
}

export function mayAccess(access: Access): Answer {
  return answerOf(access, guardsOf(access));
}

/** A policy of a role. Only its inline policies have a call: a managed policy may be that of other roles too. */
function ofRole({ arn, inline = [] }: RoleAccess['role'], document: PolicyDocument): Guard {
  const RoleName = displayNameOf(arn);
  const PolicyName = inline.find(it => it.document === document)?.name;
  const guard = { kind: 'identity', policy: document } as const;
  if (PolicyName === undefined) return { ...guard, where: `a policy of the role ${RoleName}` };
  const set = (it: PolicyDocument): AwsCall => {
    const input = { RoleName, PolicyName, PolicyDocument: JSON.stringify(it) };
    return { service: 'iam', operation: 'PutRolePolicy', input };
  };
  return { ...guard, where: `the inline policy ${PolicyName} of the role ${RoleName}`, set };
}

/** It has no call: a boundary is a limit that someone has set on purpose, and may be that of other roles too. */
function boundaryGuard({ name, boundary }: RoleFacts): Guard | undefined {
  if (boundary === undefined) return undefined;
  const called = isKnown(boundary.arn) ? ` ${displayNameOf(boundary.arn)}` : '';
  const where = `the permissions boundary${called} of the role ${name}`;
  return { where, kind: 'boundary', policy: boundary.document };
}

/** The permissions boundary that keeps a role out, whatever else allows it; undefined if none does. */
export function boundaryAgainst({ role, asked }: RoleAccess): string | undefined {
  const guard = boundaryGuard(role);
  return guard && asked.some(it => withinBoundary(it, guard.policy) === 'no') ? guard.where : undefined;
}

function guardsOf(access: Access): readonly Guard[] {
  if (!('role' in access)) return [access.guard];
  const own = knownValue(access.role.policies) ?? [];
  const boundary = boundaryGuard(access.role);
  return [...own.map(it => ofRole(access.role, it)), ...(boundary ? [boundary] : []), access.guard];
}

interface PlacedDenial extends Denial {
  readonly where: string;
}

/** What is asked, with whether the role has a permissions boundary. */
function askedOf(access: Access): readonly (RoleQuestion | ServiceQuestion)[] {
  if (!('role' in access) || access.role.boundary === undefined) return access.asked;
  const isLimited = isKnown(access.role.boundary.arn) ? 'yes' : 'unknown';
  return access.asked.map(it => ({ ...it, isLimited }));
}

function denialsAt({ where, kind, policy }: Guard, access: Access): readonly PlacedDenial[] {
  const all = askedOf(access).flatMap(it => denialsIn(policy, kind, it));
  return [...new Map(all.map(it => [it.position, { ...it, where }])).values()];
}

/** The Deny statements that keep the sender out, or may. */
export function denialsOf(access: Access): readonly PlacedDenial[] {
  return guardsOf(access).flatMap(it => denialsAt(it, access));
}

/** `the statement "NoStrangers" of the policy of the queue bills`. */
export function denialText({ statement: { Sid: id }, position, where }: PlacedDenial): string {
  return `${typeof id === 'string' ? `the statement "${id}"` : `statement ${position + 1}`} of ${where}`;
}

interface Narrowed {
  readonly guard: Guard;
  readonly fix?: Fix;
}

/**
 * A sentence about Deny statements that also keep out the operator who changes the policy. Among the tasks of the root user, AWS
 * lists to change the policy of a queue that denies all principals, and not that of a topic, a function or a key.
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/id_root-user.html#root-user-tasks
 */
function alsoDenied(denials: readonly Denial[], { service, operation }: AwsCall, { asked }: Access): string {
  const [{ resource = '' } = {}] = asked;
  const { partition = '', account = '' } = parseArn(resource) ?? {};
  const action = `${service}:${operation}`;
  const anyone = { roleArn: `arn:${partition}:iam::${account}:role/Operator`, action, resource };
  const found = denials.filter(it => denialsIn({ Statement: [it.statement] }, 'resource', anyone).length > 0);
  if (found.length === 0) return '';
  const denies = found.every(it => it.statement['Condition'] !== undefined) ? 'may also deny' : 'also denies';
  const passes = service === 'sqs' ? ': the root user of the account still may change it' : '';
  return ` The statement ${denies} ${action}, the change itself, to you${passes}.`;
}

/** Narrows the Deny statements of one policy, so that they are no longer about the access. */
function narrow(guard: Guard, access: Access): Narrowed {
  const document = knownValue(guard.policy);
  const narrowings = document ? narrowingsFor(document, guard.kind, askedOf(access)) : [];
  if (!document || narrowings.length === 0) return { guard };
  const policy = narrowedDocument(document, narrowings);
  const actions = [...new Set(access.asked.map(it => it.action))].join(' and ');
  const denials = denialsAt(guard, access);
  const says = denials.map(denial => {
    const ways = narrowings.filter(it => it.statement === denial.statement).map(narrowingText);
    const denies = denial.dependsOn.length > 0 ? 'may deny' : 'denies';
    return `Change ${denialText(denial)}: it ${denies} ${actions}, and no Allow overrides a Deny. ${[...new Set(ways)].join('. ')}.`;
  });
  const call = guard.set?.(policy);
  const also = call && guard.kind === 'resource' ? alsoDenied(denials, call, access) : '';
  return {
    guard: { ...guard, policy },
    fix: {
      says: `${says.join(' ')}${also} Ask first why it denies that.`,
      ...(call && { calls: [{ ...call, narrows: narrowings }] }),
    },
  };
}

/** Lets the boundary of a role allow what the role wants: in words, or as a condition of the other fixes. */
function widening(access: Access, boundary: Guard): readonly Fix[] {
  if (!('role' in access)) return [];
  const within = allOf(access.asked.map(it => withinBoundary(it, boundary.policy)));
  if (within === 'yes') return [];
  const [{ resource = '' } = {}] = access.asked;
  const { statement } = allowRole(access.role.arn, [...new Set(access.asked.map(it => it.action))], resource);
  const actions = [...new Set(access.asked.map(it => it.action))].join(' and ');
  if (within === 'unknown') {
    const says = `What ${boundary.where} allows is unknown: it must allow ${actions} on ${resource} too.`;
    return [{ says, calls: [] }];
  }
  const says = `Let ${boundary.where} allow ${actions} on ${resource}, with a new version of that policy that contains this statement too: no other policy can allow what the boundary does not. Ask first who set the boundary.`;
  return [{ says, ...(statement && { statement }) }];
}

/** The grants that make up for missing ones, the fewest. */
function grantsFor(access: Access, guards: readonly Guard[]): readonly Fix[] {
  if (answerOf(access, guards) === 'yes') return [];
  const boundary = guards.find(it => it.kind === 'boundary');
  if (boundary) {
    const others = guards.filter(it => it !== boundary);
    return [...widening(access, boundary), ...grantsFor(access, others)];
  }
  if (!('role' in access)) return [access.grant];
  const [{ resource = '' } = {}] = access.asked;
  const own = allowRole(access.role.arn, [...new Set(access.asked.map(it => it.action))], resource);
  const { grant } = access;
  if (!grant) return [own];
  const suffices = (fixes: readonly Fix[]) => {
    const added = fixes.map((it): Guard => {
      const policy: PolicyDocument = { Statement: [it.statement] };
      return { where: '', kind: it === own ? 'identity' : 'resource', policy };
    });
    return answerOf(access, [...added, ...guards]) !== 'no';
  };
  return [[own], [grant], [own, grant]].find(suffices) ?? [own, grant];
}

/**
 * Lets a sender in: narrows each Deny that keeps it out, because an Allow cannot, and then allows what nothing allows.
 * There are calls only if all of it can be done by calls. `mergedFixes` makes one policy of those that they set.
 */
export function letIn(access: Access): Fix {
  const narrowed = guardsOf(access).map(it => narrow(it, access));
  const grants = grantsFor(
    access,
    narrowed.map(it => it.guard),
  );
  return joinedFix([...narrowed.flatMap(it => it.fix ?? []), ...grants]);
}

/** One fix of several, which are all needed. */
export function joinedFix(fixes: readonly Fix[]): Fix {
  const statement = fixes.find(it => it.statement !== undefined)?.statement;
  const calls = fixes.every(it => it.calls !== undefined) ? fixes.flatMap(it => it.calls ?? []) : [];
  return {
    says: fixes.map(it => it.says).join(' '),
    ...(statement && { statement }),
    ...(calls.length > 0 && { calls }),
  };
}
