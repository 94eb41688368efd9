import { isoSeconds } from '../kernel/clock';
import type { JsonObject } from '../kernel/json';

/** Prefix of the event sources of AWS services. Only AWS services may put such events. */
export const AWS_SOURCE = 'aws.';

interface BusEventProps {
  readonly id: string;
  readonly detailType: string;
  readonly source: string;
  readonly account: string;
  /** Milliseconds since the Unix epoch. The event itself shows whole seconds. */
  readonly timeMs: number;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: JsonObject;
  readonly ingestedAtMs: number;
  readonly traceHeader?: string | undefined;
}

export class BusEvent {
  private document: JsonObject | undefined;
  private text: string | undefined;

  constructor(
    readonly props: BusEventProps,
    /** ARNs of the rules that sent the event on from another bus. */
    readonly cameThrough: readonly string[] = [],
  ) {}

  get id(): string {
    return this.props.id;
  }

  /**
   * The event as rules match it.
   * @see https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html
   */
  get members(): JsonObject {
    const { id, detailType, source, account, timeMs, region, resources, detail } = this.props;
    this.document ??= {
      version: '0',
      id,
      'detail-type': detailType,
      source,
      account,
      time: isoSeconds(timeMs),
      region,
      resources,
      detail,
    };
    return this.document;
  }

  get json(): string {
    this.text ??= JSON.stringify(this.members);
    return this.text;
  }

  sentOnBy(ruleArn: string): BusEvent {
    return new BusEvent(this.props, [...this.cameThrough, ruleArn]);
  }
}
