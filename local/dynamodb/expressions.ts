import { ownMember } from '../../policy/json-members';
import { invalid } from './errors';
import { type Item, typeOf, type Value } from './item';
import { loadRules } from './rules';

/** The names of attributes and positions in lists that lead to a value. */
export type Path = readonly (string | number)[];

/** The name of a value of the request, such as `:limit`, in the place of the value. */
const NAME = Symbol('name');

/** Stands for a value of the request, so that an expression is parsed once for all values of the same types. */
interface Placeholder extends Value {
  readonly [NAME]: string;
}

interface Call {
  readonly type: 'function' | 'add' | 'subtract';
  readonly name?: string;
  readonly args: readonly Operand[];
}

export type Operand = Path | Call | Placeholder;

export interface Condition {
  readonly type: string;
  /** Of a function. */
  readonly name?: string;
  /** Conditions for `and`, `or` and `not`; otherwise operands. */
  readonly args: readonly (Condition | Operand)[];
}

export interface Change {
  readonly type: 'set' | 'remove' | 'add' | 'delete';
  readonly path: Path;
  readonly val: Operand;
}

type Heads = Readonly<Record<string, true>>;

interface ParsedCondition {
  readonly expression: Condition;
  readonly nestedPaths: Heads;
  /** The first attributes of all paths. */
  readonly pathHeads: Heads;
}

/** The parsed expressions of a request, by the names that dynalite gives them. */
export interface Expressions {
  readonly _condition?: ParsedCondition;
  readonly _filter?: ParsedCondition;
  readonly _keyCondition?: ParsedCondition;
  /** The same, by key attribute. */
  readonly _keyConditions?: Readonly<
    Record<string, { readonly ComparisonOperator: string; readonly AttributeValueList: readonly Operand[] }>
  >;
  readonly _projection?: { readonly paths: readonly Path[]; readonly nestedPaths: Heads };
  readonly _updates?: { readonly sections: readonly Change[]; readonly paths: readonly Path[] };
}

/** The members of a request that contain expressions. */
export const EXPRESSIONS = [
  'UpdateExpression',
  'ConditionExpression',
  'KeyConditionExpression',
  'FilterExpression',
  'ProjectionExpression',
] as const;

export interface ExpressionInput extends Partial<Readonly<Record<(typeof EXPRESSIONS)[number], string>>> {
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Item;
}

/** A value of each type, which the grammar accepts. */
const EXAMPLES: Readonly<Record<string, Value>> = {
  S: { S: 's' },
  N: { N: '0' },
  B: { B: 'YQ==' },
  BOOL: { BOOL: true },
  NULL: { NULL: true },
  SS: { SS: ['s'] },
  NS: { NS: ['0'] },
  BS: { BS: ['YQ=='] },
  L: { L: [] },
  M: { M: {} },
};

/** What the grammar compares the values of: a type with the types that there are, and two bounds. */
const READS_VALUES = /attribute_type|between/i;

const MOST_KNOWN = 1_000;

/** Parses expressions with dynalite's grammar. Parsing is slow, and functions send the same texts again and again. */
export class ExpressionParser {
  private readonly known = new Map<string, Expressions>();

  /** @throws AwsError for expressions that DynamoDB refuses */
  parse(input: ExpressionInput): Expressions {
    const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = input;
    const { validations } = loadRules();
    for (const [name, value] of Object.entries(values ?? {})) {
      const problem = validations.validateAttributeValue(value);
      if (problem !== undefined) {
        throw invalid(`ExpressionAttributeValues contains invalid value: ${problem} for key ${name}`);
      }
    }
    const texts = EXPRESSIONS.flatMap(name => (input[name] === undefined ? [] : [[name, input[name]] as const]));
    // Otherwise the grammar reads only types.
    const readsValues = texts.some(
      ([name, text]) => name !== 'KeyConditionExpression' && READS_VALUES.test(text ?? ''),
    );
    const examples =
      values && Object.entries(values).map(([name, it]) => [name, readsValues ? it : EXAMPLES[typeOf(it)]] as const);
    const id = JSON.stringify([texts, names, examples]);
    const known = this.known.get(id);
    if (known) return known;
    const placeholders = examples?.map(([name, example]) => [name, { ...example, [NAME]: name }] as const);
    const data: Expressions & object = {
      ...Object.fromEntries(texts),
      ...(names && { ExpressionAttributeNames: names }),
      ...(placeholders && { ExpressionAttributeValues: Object.fromEntries(placeholders) }),
    };
    const problem = validations.validateExpressions(data);
    if (problem !== undefined) throw invalid(problem);
    const keys = data._keyCondition && validations.convertKeyCondition(data._keyCondition.expression);
    if (typeof keys === 'string') throw invalid(keys);
    const expressions = keys ? { ...data, _keyConditions: keys as Expressions['_keyConditions'] } : data;
    if (readsValues) return expressions;
    if (this.known.size >= MOST_KNOWN) this.known.clear();
    this.known.set(id, expressions);
    return expressions;
  }
}

/** The value at a path of an item. */
export function valueAt(item: Item, path: Path): Value | undefined {
  let value: Value | undefined = { M: item };
  for (const step of path) value = typeof step === 'number' ? value?.L?.[step] : value?.M && ownMember(value.M, step);
  return value;
}

export const isPath = (operand: Condition | Operand): operand is Path => Array.isArray(operand);

export const isCall = (operand: Condition | Operand): operand is Call => 'type' in operand;

/** The value of the request that a placeholder stands for. */
export function givenValue(operand: Condition | Operand, values: Item): Value {
  const value = NAME in operand ? ownMember(values, operand[NAME]) : undefined;
  if (!value) throw new Error('an expression has a value that the request does not have');
  return value;
}
