import type { InputTransformer, Target as TargetInput } from '@aws-sdk/client-eventbridge';
import { type RetryPolicy, retryPolicyOf } from '../event-delivery/delivery';
import { isoInstant, isoSeconds } from '../kernel/clock';
import { isObject } from '../kernel/json';
import type { BusEvent } from './bus-event';

/** The required members of a target: its id and its ARN. */
export type TargetDefinition = TargetInput & { readonly Id: string; readonly Arn: string };

export class Target {
  readonly retryPolicy: RetryPolicy;
  readonly transformation: InputTransformation | undefined;
  readonly inputPath: JsonPath | undefined;

  /** @param definition as given to `PutTargets`, already checked */
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

/** The ARN and the name of a rule, which an input template may contain. */
interface RuleNames {
  readonly arn: string;
  readonly name: string;
}

/** The predefined variables of templates. */
const RESERVED: ReadonlyMap<string, (event: BusEvent, rule: RuleNames) => unknown> = new Map([
  ['aws.events.rule-arn', (_event: BusEvent, { arn }: RuleNames): unknown => arn],
  ['aws.events.rule-name', (_event, { name }) => name],
  ['aws.events.event.ingestion-time', ({ props }) => isoInstant(props.ingestedAtMs)],
  ['aws.events.event', eventWithoutDetail],
  ['aws.events.event.json', ({ members }) => members],
]);

export const RESERVED_VARIABLES: readonly string[] = [...RESERVED.keys()];

/**
 * Recorded on AWS: the event without its detail has other member names, in another order, and the time of ingestion.
 */
function eventWithoutDetail({ props }: BusEvent): unknown {
  const { id, account, detailType, ingestedAtMs, source, region, resources } = props;
  return { id, account, detailType, time: isoSeconds(ingestedAtMs), source, region, resources, version: '0' };
}

const VARIABLE = /<([^<>\s]+)>/g;

export function variablesIn(template: string): readonly string[] {
  return [...template.matchAll(VARIABLE)].map(([, name = '']) => name);
}

/** A piece of a template: literal text or a variable. */
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

/** The marks of a template that is a JSON document, and not one string. */
const JSON_TEMPLATE = /^\s*[{[]/;

/**
 * Returns the text for a value in a template. Elsewhere than between quotes, it is the value's JSON. Between quotes, a
 * string is inserted unescaped, and any other value as JSON: in a template of one string without quotation marks. A path
 * that finds nothing gives an empty text.
 * @returns undefined when an object or a list ends the string of a JSON template that it is in, which makes no JSON
 */
function written(value: unknown, isInQuotes: boolean, isInJson: boolean): string | undefined {
  if (value === undefined) return isInQuotes ? '' : '""';
  if (!isInQuotes) return JSON.stringify(value);
  if (typeof value === 'string') return value;
  const json = JSON.stringify(value);
  if (!isInJson) return json.replaceAll('"', '');
  return json.includes('"') ? undefined : json;
}

/**
 * Builds the input of a target from parts of the event.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html
 */
class InputTransformation {
  private constructor(
    private readonly paths: ReadonlyMap<string, JsonPath | undefined>,
    private readonly pieces: readonly Piece[],
    private readonly isJson: boolean,
  ) {}

  static of({ InputPathsMap = {}, InputTemplate = '' }: InputTransformer): InputTransformation {
    const paths = Object.entries(InputPathsMap).map(([name, path]) => [name, JsonPath.parse(path)] as const);
    return new InputTransformation(new Map(paths), piecesOf(InputTemplate), JSON_TEMPLATE.test(InputTemplate));
  }

  /** @returns undefined when the template makes no JSON of this event. AWS then sends nothing (recorded on AWS). */
  apply(event: BusEvent, rule: RuleNames): string | undefined {
    const texts = this.pieces.map(piece => {
      if (typeof piece === 'string') return piece;
      return written(this.valueOf(piece.name, event, rule), piece.isInQuotes, this.isJson);
    });
    return texts.includes(undefined) ? undefined : texts.join('');
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
 * The part of JSONPath that EventBridge supports: `$.detail.items[0].name` with dots, indices and asterisks, without
 * quotes.
 * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-transform-target-input.html
 */
export class JsonPath {
  private constructor(
    private readonly steps: readonly Step[],
    private readonly isMany: boolean,
  ) {}

  /** @returns undefined when the text is not a supported path */
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

  /** Returns the value in a document, a list when the path has an asterisk, or undefined when there is none. */
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
  if (!isObject(place) || step.kind === 'index') return [];
  if (step.kind === 'all') return Object.values(place);
  return Object.hasOwn(place, step.name) ? [place[step.name]] : [];
}
