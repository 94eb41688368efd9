import { displayNameOf } from '../../policy/arn';
import { listOfOneOrMore } from '../../policy/json-members';
import type { RoleQuestion, ServiceQuestion } from '../../template/access/access-question';
import { type Denial, denialsIn, mayDo, roleMayDo } from '../../template/access/may-do';
import type { PolicyDocument } from '../../template/access/policy-document';
import { type Answer, allOf } from '../../template/access/text-matching';
import { allKnown, isKnown, knownValue, mapKnown } from '../../template/maybe-known';
import type { RoleFacts } from '../inventory/inventory';
import type { AwsCall, Fix, Guard } from './fix';
import { allowRole } from './grant-access';
import { narrowedDocument, narrowingsFor, narrowingText } from './narrow-denial';

/** What a service wants of a resource, all of it at once. */
export interface ServiceAccess {
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
  const [own, others] = (['identity', 'resource'] as const).map(kind => wholeOf(guards.filter(it => it.kind === kind)));
  if (!('role' in access)) return allOf(access.asked.map(it => mayDo(it, others)));
  const identity = isKnown(access.role.policies) ? mapKnown(own, it => (it ? [it] : [])) : access.role.policies;
  return allOf(access.asked.map(it => roleMayDo(it, { identity, resource: others })));
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

function guardsOf(access: Access): readonly Guard[] {
  if (!('role' in access)) return [access.guard];
  const own = knownValue(access.role.policies) ?? [];
  return [...own.map(it => ofRole(access.role, it)), access.guard];
}

interface PlacedDenial extends Denial {
  readonly where: string;
}

function denialsAt({ where, kind, policy }: Guard, { asked }: Access): readonly PlacedDenial[] {
  const all = [...asked].flatMap((it: Access['asked'][number]) => denialsIn(policy, kind, it));
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

/** Narrows the Deny statements of one policy, so that they are no longer about the access. */
function narrow(guard: Guard, access: Access): Narrowed {
  const document = knownValue(guard.policy);
  const narrowings = document ? narrowingsFor(document, guard.kind, access.asked) : [];
  if (!document || narrowings.length === 0) return { guard };
  const policy = narrowedDocument(document, narrowings);
  const actions = [...new Set(access.asked.map(it => it.action))].join(' and ');
  const says = denialsAt(guard, access).map(denial => {
    const ways = narrowings.filter(it => it.statement === denial.statement).map(narrowingText);
    const denies = denial.dependsOn.length > 0 ? 'may deny' : 'denies';
    return `Change ${denialText(denial)}: it ${denies} ${actions}, and no Allow overrides a Deny. ${[...new Set(ways)].join('. ')}.`;
  });
  const call = guard.set?.(policy);
  return {
    guard: { ...guard, policy },
    fix: {
      says: `${says.join(' ')} Ask first why it denies that.`,
      ...(call && { calls: [{ ...call, narrows: narrowings }] }),
    },
  };
}

/** The grants that make up for missing ones, the fewest. */
function grantsFor(access: Access, guards: readonly Guard[]): readonly Fix[] {
  if (answerOf(access, guards) === 'yes') return [];
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
  const [only, ...others] = fixes;
  if (only && others.length === 0) return only;
  const statement = fixes.find(it => it.statement !== undefined)?.statement;
  const isCallable = fixes.length > 0 && fixes.every(it => it.calls !== undefined);
  return {
    says: fixes.map(it => it.says).join(' '),
    ...(statement && { statement }),
    ...(isCallable && { calls: fixes.flatMap(it => it.calls ?? []) }),
  };
}
