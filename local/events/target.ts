import type { InputTransformer, Target as TargetInput } from '@aws-sdk/client-eventbridge';
import { type RetryPolicy, retryPolicyOf } from '../event-delivery';
import { isoInstant, isoSeconds } from '../kernel/clock';
import { isMembers } from '../kernel/json';
import type { BusEvent } from './bus-event';

/** The parts of a target everything else follows from. */
export type TargetDefinition = TargetInput & { readonly Id: string; readonly Arn: string };

/** Where a rule sends what it matches. */
export class Target {
  readonly retryPolicy: RetryPolicy;
  readonly transformation: InputTransformation | undefined;
  readonly inputPath: JsonPath | undefined;

  /** @param definition as `PutTargets` was given it, and found in order */
  constructor(readonly definition: TargetDefinition) {
    const { RetryPolicy: policy, InputTransformer, InputPath } = definition;
    this.retryPolicy = retryPolicyOf(policy);
    this.transformation = InputTransformer && InputTransformation.of(InputTransformer);
    this.inputPath = InputPath === undefined ? undefined : JsonPath.parse(InputPath);
  }

  get id(): string {
    return this.definition.Id;
  }

  get arn(): string {
    return this.definition.Arn;
  }
}

/** What a template may know of the rule. */
export interface RuleNames {
  readonly arn: string;
  readonly name: string;
}

/** Variables every template has. */
const RESERVED: ReadonlyMap<string, (event: BusEvent, rule: RuleNames) => unknown> = new Map([
  ['aws.events.rule-arn', (_event: BusEvent, { arn }: RuleNames): unknown => arn],
  ['aws.events.rule-name', (_event, { name }) => name],
  ['aws.events.event.ingestion-time', ({ props }) => isoInstant(props.ingestedAtMs)],
  ['aws.events.event', eventWithoutDetail],
  ['aws.events.event.json', ({ members }) => members],
]);

export const RESERVED_VARIABLES: readonly string[] = [...RESERVED.keys()];

/** Recorded on AWS: the event without its detail has other names, in another order, and the time it came in. */
function eventWithoutDetail({ props }: BusEvent): unknown {
  const { id, account, detailType, ingestedAtMs, source, region, resources } = props;
  return { id, account, detailType, time: isoSeconds(ingestedAtMs), source, region, resources, version: '0' };
}

const VARIABLE = /<([^<>\s]+)>/g;

/** The names of the variables in a template. */
export function variablesIn(template: string): readonly string[] {
  return [...template.matchAll(VARIABLE)].map(([, name = '']) => name);
}

/** A piece of a template: text as it stands, or a variable. */
type Piece = string | { readonly name: string; readonly isInQuotes: boolean };

function piecesOf(template: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let isInQuotes = false;
  let at = 0;
  for (const match of template.matchAll(VARIABLE)) {
    const text = template.slice(at, match.index);
    for (const [token] of text.matchAll(/\\.|"/gs)) if (token === '"') isInQuotes = !isInQuotes;
    pieces.push(text, { name: match[1] ?? '', isInQuotes });
    at = match.index + match[0].length;
  }
  return [...pieces, template.slice(at)];
}

/**
 * Between quotes a string stands as it is, unescaped, and anything else as JSON without quotation marks; elsewhere a value
 * stands as JSON. A path that leads nowhere gives an empty string.
 */
function written(value: unknown, isInQuotes: boolean): string {
  if (value === undefined) return isInQuotes ? '' : '""';
  if (!isInQuotes) return JSON.stringify(value);
  return typeof value === 'string' ? value : JSON.stringify(value).replaceAll('"', '');
}

/**
 * Makes what a target gets from parts of the event.
 *
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html
 */
export class InputTransformation {
  private constructor(
    private readonly paths: ReadonlyMap<string, JsonPath | undefined>,
    private readonly pieces: readonly Piece[],
  ) {}

  static of({ InputPathsMap = {}, InputTemplate = '' }: InputTransformer): InputTransformation {
    const paths = Object.entries(InputPathsMap).map(([name, path]) => [name, JsonPath.parse(path)] as const);
    return new InputTransformation(new Map(paths), piecesOf(InputTemplate));
  }

  apply(event: BusEvent, rule: RuleNames): string {
    return this.pieces
      .map(piece => {
        if (typeof piece === 'string') return piece;
        return written(this.valueOf(piece.name, event, rule), piece.isInQuotes);
      })
      .join('');
  }

  private valueOf(name: string, event: BusEvent, rule: RuleNames): unknown {
    const reserved = RESERVED.get(name);
    return reserved ? reserved(event, rule) : this.paths.get(name)?.read(event.members);
  }
}

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
