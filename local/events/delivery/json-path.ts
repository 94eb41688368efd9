import { isMembers } from '../../kernel/json';

type Step =
  | { readonly kind: 'member'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' };

const STEP = /\.([\w\-/:@ ]+|\*)|\[(\d+|\*)\]/y;

/**
 * What EventBridge takes of JSONPath: `$.detail.items[0].name` with dots, indices and asterisks, and no quotes.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html
 */
export class JsonPath {
  private constructor(
    private readonly steps: readonly Step[],
    private readonly isMany: boolean,
  ) {}

  /** @returns undefined when the text is no such path */
  static parse(text: string): JsonPath | undefined {
    if (!text.startsWith('$')) return undefined;
    const steps: Step[] = [];
    for (let at = 1; at < text.length; at = STEP.lastIndex) {
      STEP.lastIndex = at;
      const [, name, index] = STEP.exec(text) ?? [];
      if (name === undefined && index === undefined) return undefined;
      steps.push(stepOf(name, index));
    }
    return new JsonPath(
      steps,
      steps.some(({ kind }) => kind === 'all'),
    );
  }

  /** What is there in a document; a list where the path has an asterisk; undefined when there is nothing. */
  read(document: unknown): unknown {
    let found: readonly unknown[] = [document];
    for (const step of this.steps) found = found.flatMap(place => valueAt(place, step));
    return this.isMany && found.length > 0 ? found : found[0];
  }
}

function stepOf(name: string | undefined, index: string | undefined): Step {
  if (name === '*' || index === '*') return { kind: 'all' };
  return name === undefined ? { kind: 'index', index: Number(index) } : { kind: 'member', name };
}

function valueAt(place: unknown, step: Step): readonly unknown[] {
  if (Array.isArray(place)) {
    if (step.kind === 'all') return place;
    return step.kind === 'index' && step.index < place.length ? [place[step.index]] : [];
  }
  if (!isMembers(place) || step.kind === 'index') return [];
  if (step.kind === 'all') return Object.values(place);
  return Object.hasOwn(place, step.name) ? [place[step.name]] : [];
}
