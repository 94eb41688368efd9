import type { Problem } from '../problem';
import {
  attributePath,
  DOCUMENT_LAYOUTS,
  OVERRIDES_SWITCH,
  POLICY_ATTRIBUTES,
  POLICY_GROUPS,
  type PolicyGroup,
  type PolicyLayout,
  pathIn,
} from './policy-layout';

export type Members = Readonly<Record<string, unknown>>;

/** A policy sorted into its members, whose values nobody has judged yet. */
export interface UnjudgedPolicy extends Readonly<Partial<Record<PolicyGroup, Members>>> {
  readonly disableSubscriptionOverrides?: unknown;
}

/** A policy sorted into its members, and everything wrong with its shape. */
export interface PolicyReading {
  readonly policy: UnjudgedPolicy;
  readonly problems: readonly Problem[];
}

/** The property an error names when it is about the whole policy. */
export const WHOLE_POLICY = 'DeliveryPolicy';

/** One object of the policy: what it is called, and what it may hold. */
interface Place {
  /** Its own path, or `WHOLE_POLICY`. */
  readonly property: string;
  readonly layout: PolicyLayout;
  readonly known: readonly string[];
  /** Whether it may be empty, because some of its members are not known yet. */
  readonly mayBeEmpty: boolean;
}

function pathAt(place: Place, member: string): string {
  return place.property === WHOLE_POLICY ? member : `${place.property}.${member}`;
}

/** Where the member somebody called `name` belongs in `layout`, by whichever form's name and letter case they used. */
function homeOf(name: string, layout: PolicyLayout): string | undefined {
  const isMeant = (other: string) => other.toLowerCase() === name.toLowerCase();
  for (const group of POLICY_GROUPS) {
    const names = Object.values(DOCUMENT_LAYOUTS).map(({ groups }) => groups[group]);
    if (names.some(isMeant)) return pathIn(layout, layout.groups[group]);
    const attribute = POLICY_ATTRIBUTES[group].find(isMeant);
    if (attribute !== undefined) return attributePath(layout, group, attribute);
  }
  return layout.hasOverridesSwitch && isMeant(OVERRIDES_SWITCH) ? pathIn(layout, OVERRIDES_SWITCH) : undefined;
}

const TOPIC_ONLY: readonly string[] = [OVERRIDES_SWITCH, 'http'];

function ruleForUnknown(name: string, { layout, known }: Place): string {
  const home = homeOf(name, layout);
  if (home !== undefined) return `is not known here: it belongs at ${home}`;
  const list = known.join(', ');
  if (TOPIC_ONLY.includes(name) && !layout.hasOverridesSwitch) {
    return `belongs to a topic's delivery policy: a subscription's may have ${list}`;
  }
  return `is not known: here may be ${list}`;
}

function unknownMember(name: string, value: unknown, place: Place): Problem {
  return {
    property: pathAt(place, name),
    rule: ruleForUnknown(name, place),
    value,
    awsText: `Unexpected JSON member: ${name}`,
  };
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of the object at `place` that are there; what is wrong with it goes to `problems`. */
function membersAt(place: Place, value: unknown, problems: Problem[]): Members {
  if (!isObject(value)) {
    problems.push({ property: place.property, rule: 'must be an object', value });
    return {};
  }
  const present = Object.entries(value).filter(([, member]) => member !== undefined);
  if (present.length === 0 && !place.mayBeEmpty) {
    problems.push({ property: place.property, rule: `must have at least one of ${place.known.join(', ')}`, value });
  }
  const isKnown = ([name]: [string, unknown]) =>
    place.known.includes(name) || Object.hasOwn(place.layout.vestiges, name);
  for (const [name, member] of present.filter(entry => !isKnown(entry))) {
    problems.push(unknownMember(name, member, place));
  }
  return Object.fromEntries(present);
}

function rootOf(document: unknown, layout: PolicyLayout, problems: Problem[]): unknown {
  if (layout.wrapper === undefined) return document;
  const place = { property: WHOLE_POLICY, layout, known: [layout.wrapper], mayBeEmpty: false };
  return membersAt(place, document, problems)[layout.wrapper];
}

function vestigeProblems(root: Place, members: Members): Problem[] {
  const { vestiges } = root.layout;
  return Object.entries(members)
    .filter(([name, value]) => Object.hasOwn(vestiges, name) && value !== vestiges[name])
    .map(([name, value]) => ({
      property: pathAt(root, name),
      rule: 'is no longer used by SNS: leave it out',
      value,
    }));
}

/**
 * Sorts `document` into its members by `layout`. What has no place is named, everything at once; the values themselves are
 * not judged. A member that is `null` counts as left out, which is how SNS shows one.
 *
 * @param unresolved the members whose values are not known yet: objects that may hold one may be empty
 */
export function readPolicy(document: unknown, layout: PolicyLayout, unresolved: ReadonlySet<string>): PolicyReading {
  const problems: Problem[] = [];
  const value = rootOf(document, layout, problems);
  if (value === undefined && layout.wrapper !== undefined) return { policy: {}, problems };
  const root: Place = {
    property: layout.wrapper ?? WHOLE_POLICY,
    layout,
    known: [
      ...POLICY_GROUPS.map(group => layout.groups[group]),
      ...(layout.hasOverridesSwitch ? [OVERRIDES_SWITCH] : []),
    ],
    mayBeEmpty: unresolved.size > 0,
  };
  const members = membersAt(root, value, problems);
  problems.push(...vestigeProblems(root, members));
  const policy: Record<string, unknown> = {};
  for (const group of POLICY_GROUPS) {
    const member = members[layout.groups[group]] ?? undefined;
    if (member === undefined) continue;
    const known = POLICY_ATTRIBUTES[group];
    const mayBeEmpty = known.some(attribute => unresolved.has(attribute));
    policy[group] = membersAt(
      { property: pathIn(layout, layout.groups[group]), layout, known, mayBeEmpty },
      member,
      problems,
    );
  }
  if (OVERRIDES_SWITCH in members) policy[OVERRIDES_SWITCH] = members[OVERRIDES_SWITCH];
  return { policy, problems };
}
