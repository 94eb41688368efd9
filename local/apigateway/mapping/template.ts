import { Compile, parse } from 'velocityjs';
import { LinearRegex } from '../../kernel/linear-regex';

/** The variables of a template by name: `input`, `util`, `context`, `stageVariables`. */
export type TemplateVariables = Readonly<Record<string, unknown>>;

/**
 * A mapping template.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/models-mappings.html
 */
export class Template {
  private readonly nodes: Node[];

  /** @throws Error when the text is not in the Velocity Template Language */
  constructor(readonly text: string) {
    this.nodes = parse(text);
  }

  /** @throws TemplateFailure when a call in the template fails, for example on a body that is not JSON */
  render(variables: TemplateVariables): string {
    const velocity = new ApiGatewayVelocity(this.nodes, { customMethodHandlers: javaMethodHandlers });
    return velocity.render({ ...variables }, undefined, true);
  }
}

/** Runs `run`, and converts a `TemplateFailure` with `refuse`. */
export function orRefused<Result>(run: () => Result, refuse: (failure: TemplateFailure) => Error): Result {
  try {
    return run();
  } catch (error) {
    throw error instanceof TemplateFailure ? refuse(error) : error;
  }
}

type Node = ReturnType<typeof parse>[number];

/**
 * The limit "Iterations in a #ForEach ... #END loop in mapping templates". **Assumption APIGW-1:** AWS does not publish
 * what happens beyond it. Here the loop ends, as with Velocity's own limit.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 */
const MOST_ITERATIONS = 1000;

/**
 * The limit for all loops of a template together, and for a range: nested loops would take hours.
 * **Assumption APIGW-2:** AWS does not publish this.
 */
const MOST_ITEMS = 100_000;

/**
 * The limit of nested blocks, including macros that call themselves. **Assumption APIGW-2:** AWS does not publish this.
 */
const MOST_DEPTH = 200;

/** A range or another list, as far as it is evaluated. */
interface Listed {
  readonly type: string;
  readonly isRange?: boolean;
  readonly value?: unknown;
}

/** Velocity with API Gateway's rules: a missing value is empty, and values are written as Java writes them. */
class ApiGatewayVelocity extends Compile {
  private depth = 0;
  private iterations = 0;

  override renderAstList(nodes?: Node[], contextId?: string): string {
    if (this.depth >= MOST_DEPTH) throw new TemplateFailure(`blocks are nested more than ${MOST_DEPTH} deep`);
    this.depth += 1;
    try {
      return super.renderAstList(nodes, contextId);
    } finally {
      this.depth -= 1;
    }
  }

  /** velocityjs declares a string as the result, but returns any value. */
  protected override getReferences(node: Node, isWritten?: boolean): string {
    const value = super.getReferences(node, isWritten);
    return isWritten ? asText(value) : value;
  }

  protected override getBlock(block: Node[]): string {
    const [loop, ...body] = block;
    if (loop?.type !== 'foreach' || !('from' in loop)) return super.getBlock(block);
    const value = this.itemsOf(loop.from as Listed);
    this.iterations += value.length;
    if (this.iterations > MOST_ITEMS) throw new TemplateFailure(`loops run more than ${MOST_ITEMS} times`);
    return super.getBlock([{ ...loop, from: { type: 'evaluated', value } } as Node, ...body]);
  }

  protected override getLiteral(node: Node): string {
    const { type, isRange, value } = node as Listed;
    if (type === 'evaluated') return value as string;
    if (!isRange) return super.getLiteral(node);
    const [first, last] = this.endsOf(node as Listed);
    if (Math.abs(last - first) > MOST_ITEMS) throw new TemplateFailure(`a range has more than ${MOST_ITEMS} items`);
    return super.getLiteral({ ...node, value: [first, last] } as Node);
  }

  private itemsOf(from: Listed): readonly unknown[] {
    if (from.isRange) {
      const [first, last] = this.endsOf(from);
      const end = first + Math.sign(last - first) * Math.min(Math.abs(last - first), MOST_ITERATIONS - 1);
      return this.itemsOf({ type: 'evaluated', value: super.getLiteral({ ...from, value: [first, end] } as Node) });
    }
    const list: unknown = this.getLiteral(from as Node);
    if (typeof list !== 'object' || list === null) return [];
    return (Array.isArray(list) ? list : Object.values(list)).slice(0, MOST_ITERATIONS);
  }

  private endsOf({ value }: Listed): readonly [number, number] {
    const [first, last] = (Array.isArray(value) ? value : []).map((end: Node | string | number) =>
      Number(typeof end === 'object' ? this.getReferences(end) : end),
    );
    return [first ?? Number.NaN, last ?? Number.NaN];
  }
}

/**
 * Formats a value in a template's text as API Gateway does: nothing for a missing or null value, a list as JSON, and an
 * object as Java writes a map, with its lists as JSON.
 */
export function asText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return JSON.stringify(value);
  if (typeof value === 'object') return javaMap(value);
  return String(value);
}

function javaMap(value: object): string {
  const entries = Object.entries(value).map(([key, member]) => `${key}=${member === null ? 'null' : asText(member)}`);
  return `{${entries.join(', ')}}`;
}

interface MethodCall {
  readonly property: string;
  readonly context: unknown;
  readonly params: readonly unknown[];
}

type JavaMethod = (target: unknown, params: readonly unknown[]) => unknown;

const sizeOf = (target: unknown): number =>
  typeof target === 'string' || Array.isArray(target) ? target.length : Object.keys(Object(target)).length;

/** The pattern comes from the template and the text from the client, so matching must take linear time. */
function regexIn(pattern: unknown): LinearRegex {
  const regex = LinearRegex.compile(String(pattern));
  if (regex) return regex;
  throw new TemplateFailure(`${String(pattern)} is not a regular expression, or uses lookaround or backreferences`);
}

/** Java's methods of strings, lists and maps that JavaScript does not have, or has with another meaning. */
const JAVA_METHODS: Readonly<Record<string, JavaMethod>> = {
  length: sizeOf,
  isEmpty: target => sizeOf(target) === 0,
  equals: (target, [other]) => target === other,
  equalsIgnoreCase: (target, [other]) => String(target).toLowerCase() === String(other).toLowerCase(),
  contains: (target, [part]) => (Array.isArray(target) ? target.includes(part) : String(target).includes(String(part))),
  containsKey: (target, [key]) => Object.hasOwn(Object(target), String(key)),
  containsValue: (target, [value]) => Object.values(Object(target)).includes(value),
  values: target => Object.values(Object(target)),
  replaceAll: (target, [pattern, by]) => regexIn(pattern).replaceAll(String(target), String(by)),
  replaceFirst: (target, [pattern, by]) => regexIn(pattern).replaceFirst(String(target), String(by)),
  matches: (target, [pattern]) => regexIn(`^(?:${String(pattern)})$`).test(String(target)),
};

const javaMethods = Object.entries(JAVA_METHODS).map(([name, run]) => ({
  uid: `java ${name}`,
  match: ({ property, context }: MethodCall): boolean => property === name && !ownFunction(context, name),
  resolve: ({ context, params }: MethodCall): unknown => run(context, params),
}));

const methodOf = ({ property, context }: MethodCall): unknown => Reflect.get(Object(context), property);

/** A method that JavaScript also has, such as `substring`. Its arguments are not checked. */
const sharedMethod = {
  uid: 'a method of the value',
  match: (call: MethodCall): boolean =>
    typeof methodOf(call) === 'function' && !ownFunction(call.context, call.property),
  resolve: (call: MethodCall): unknown => {
    const method = methodOf(call);
    if (typeof method !== 'function') return undefined;
    try {
      return Reflect.apply(method, call.context, call.params);
    } catch (error) {
      throw new TemplateFailure(`${call.property}: ${error instanceof Error ? error.message : String(error)}`);
    }
  },
};

/** The methods for velocityjs. A member of the target with the same name takes precedence. */
const javaMethodHandlers = [...javaMethods, sharedMethod];

function ownFunction(target: unknown, name: string): boolean {
  return (
    typeof target === 'object' &&
    target !== null &&
    Object.hasOwn(target, name) &&
    typeof Reflect.get(target, name) === 'function'
  );
}

/** A mapping template or expression failed on this request. It is not a bug of the embedded AWS. */
export class TemplateFailure extends Error {
  override readonly name = 'TemplateFailure';
}
