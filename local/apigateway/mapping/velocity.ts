import { Compile, type parse } from 'velocityjs';
import { asText } from './java';
import { TemplateFailure } from './template-failure';

export type Node = ReturnType<typeof parse>[number];

/**
 * "Iterations in a #ForEach ... #END loop in mapping templates". What comes after, AWS does not publish. Our choice: the loop
 * ends there, as Velocity's own limit has it.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-execution-service-limits-table.html
 */
const MOST_ITERATIONS = 1000;

/** Of all loops of a template together, and of the items of a range. Our choice: loops in loops would take hours. */
const MOST_ITEMS = 100_000;

/** Blocks in blocks, those of macros that call themselves among them. Our choice. */
const MOST_DEPTH = 200;

/** A range, or another list, as far as it is evaluated. */
interface Listed {
  readonly type: string;
  readonly isRange?: boolean;
  readonly value?: unknown;
}

/** Velocity as API Gateway speaks it: what is missing is empty, and values are written as Java writes them. */
export class ApiGatewayVelocity extends Compile {
  private depth = 0;
  private iterations = 0;

  override renderAstList(nodes?: Node[], contextId?: string): string {
    if (this.depth >= MOST_DEPTH) throw new TemplateFailure(`blocks stand in more than ${MOST_DEPTH} others`);
    this.depth += 1;
    try {
      return super.renderAstList(nodes, contextId);
    } finally {
      this.depth -= 1;
    }
  }

  /** velocityjs declares a string and answers whatever the reference stands for. */
  protected override getReferences(node: Node, isWritten?: boolean): string {
    const value = super.getReferences(node, isWritten);
    return isWritten ? asText(value) : value;
  }

  protected override getBlock(block: Node[]): string {
    const [loop, ...body] = block;
    if (loop?.type !== 'foreach' || !('from' in loop)) return super.getBlock(block);
    const value = this.itemsOf(loop.from as Listed);
    this.iterations += value.length;
    if (this.iterations > MOST_ITEMS) throw new TemplateFailure(`loops go round more than ${MOST_ITEMS} times`);
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

  /** What a loop goes through. */
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
