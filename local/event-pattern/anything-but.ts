import { anyOf, type Condition, endsWith, equalsIgnoringCase, not, type StringOperator, startsWith } from './condition';
import type { Refusals } from './event-pattern-error';
import type { LocatedArray, LocatedJson, LocatedObject, LocatedScalar } from './located-json';
import { wildcardAt } from './wildcard-at';

type LocatedString = LocatedScalar & { readonly kind: 'string' };

/** What can stand inside `{"anything-but": {…}}`: how a string is read, and what AWS says of anything else. */
interface Unwanted {
  readonly otherwise: string;
  condition(text: LocatedString, refusals: Refusals): Condition;
}

/** An empty prefix or suffix would exclude every string. */
function unwantedEnd(make: StringOperator): Unwanted {
  return {
    otherwise: 'prefix/suffix match pattern must be a string',
    condition(text, refusals) {
      if (text.value === '') throw refusals.at(text.endAt, 'Null prefix/suffix not allowed');
      return make(text.value);
    },
  };
}

const UNWANTED: ReadonlyMap<string, Unwanted> = new Map([
  ['prefix', unwantedEnd(startsWith)],
  ['suffix', unwantedEnd(endsWith)],
  [
    'equals-ignore-case',
    {
      otherwise: 'Inside anything-but/equals-ignore-case list, number|start|null|boolean is not supported.',
      condition: ({ value }) => equalsIgnoringCase(value),
    },
  ],
  ['wildcard', { otherwise: 'wildcard match pattern must be a string', condition: wildcardAt }],
]);

function scalarOrList(operand: LocatedJson, refusals: Refusals): LocatedArray | LocatedScalar {
  if (operand.kind === 'object' || operand.kind === 'literal') {
    const reason = 'Value of anything-but must be an array or single string/number value.';
    throw refusals.at(operand.metAt, reason);
  }
  return operand;
}

function unwantedBy({ otherwise, condition }: Unwanted, operand: LocatedJson, refusals: Refusals): Condition {
  const given = scalarOrList(operand, refusals);
  if (given.kind === 'string') return condition(given, refusals);
  if (given.kind !== 'array') throw refusals.at(given.metAt, otherwise);
  return anyOf(
    given.items.map(item => {
      if (item.kind !== 'string') throw refusals.insideList(item.metAt, otherwise);
      return condition(item, refusals);
    }),
  );
}

function unwantedValues(operand: LocatedJson, refusals: Refusals): Condition {
  const given = scalarOrList(operand, refusals);
  if (given.kind !== 'array') return value => value === given.value;
  const values = given.items.map(item => {
    if (item.kind === 'string' || item.kind === 'number') return item.value;
    const reason = 'Inside anything but list, start|null|boolean is not supported.';
    throw refusals.insideList(item.metAt, reason);
  });
  if (new Set(values.map(value => typeof value)).size !== 1) {
    const reason = 'Inside anything but list, either all values are number or string, mixed type is not supported';
    throw refusals.at(given.endAt, reason);
  }
  const set = new Set<unknown>(values);
  return value => set.has(value);
}

function unwantedByOperator(object: LocatedObject, refusals: Refusals): Condition {
  const [member, second] = object.members;
  if (!member) throw refusals.at(object.endAt, 'Anything-But expression name not found');
  const unwanted = UNWANTED.get(member.name);
  if (!unwanted) throw refusals.at(member.value.metAt, `Unsupported anything-but pattern: ${member.name}`);
  const condition = unwantedBy(unwanted, member.value, refusals);
  if (second) throw refusals.at(second.value.metAt, 'Too many elements in numeric expression');
  return condition;
}

/**
 * `{"anything-but": …}`: a string, a number, a list of either, or a prefix, suffix, wildcard or case-ignoring string (or
 * list of them) in an object. Any value but those will do; there has to be one.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern-operators.html#eb-filtering-anything-but
 * @throws EventPatternError
 */
export function anythingButCondition(operand: LocatedJson, refusals: Refusals): Condition {
  return not(operand.kind === 'object' ? unwantedByOperator(operand, refusals) : unwantedValues(operand, refusals));
}
