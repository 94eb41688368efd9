import { formatDuration } from '../../policy/format-text';
import { parseObject } from '../../policy/json-members';

/** The time and the timer of this machine. */
interface MachineClock {
  readonly nowMs: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
}

/** What a simulation (`dlo local`) says of its time. */
interface SimulatedTime {
  readonly nowMs: number;
  /** How many seconds of its time pass in a second. 0 if time stands still, or jumps. */
  readonly speed: number;
}

/** The Date header has whole seconds, and its answer was under way for a while. */
const DATE_PRECISION_MS = 2_000;

/** From which difference on a machine's clock is wrong, and not the measurement. */
const NOTABLE_SKEW_MS = 60_000;

/** How often a simulation is asked for its time while the command waits. */
const LOOK_EVERY_MS = 200;

/** Shorter waits are pauses between calls, which are about this machine. */
const SHORT_MS = 1_000;

const HEALTH_TIMEOUT_MS = 2_000;

async function simulatedTime(endpointUrl: string): Promise<SimulatedTime | undefined> {
  try {
    const response = await fetch(new URL('/_dlo/health', endpointUrl), {
      signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS),
    });
    const { now, speed } = (response.ok ? parseObject(await response.text()) : undefined) ?? {};
    const nowMs = Date.parse(String(now));
    if (Number.isNaN(nowMs)) return undefined;
    return { nowMs, speed: typeof speed === 'number' ? speed : 0 };
  } catch {
    // Whatever answers there is no simulation. The calls of the command say what is wrong with it.
    return undefined;
  }
}

/**
 * The clock of the AWS that a command talks to, by the Date header of its answers. With `dlo local`, time may begin in another year,
 * pass faster, or stand still. A machine whose clock is wrong would say wrong ages and expiries.
 */
export class ServerClock {
  /** AWS's time, and this machine's when it was that. */
  private known: { readonly serverMs: number; readonly machineMs: number } | undefined;
  private endpointUrl: string | undefined;
  private simulatedSpeed: number | undefined;

  constructor(
    private readonly machine: MachineClock,
    private readonly timeOf = simulatedTime,
  ) {}

  /** Learns what is behind an endpoint. @param endpointUrl @default - AWS's own */
  async attach(endpointUrl: string | undefined): Promise<void> {
    this.endpointUrl = endpointUrl;
    const time = endpointUrl === undefined ? undefined : await this.timeOf(endpointUrl);
    this.simulatedSpeed = time?.speed;
    if (time) this.known = { serverMs: time.nowMs, machineMs: this.machine.nowMs() };
  }

  /** Receives the time in an answer of AWS. */
  readonly answered = (dateMs: number): void => {
    const machineMs = this.machine.nowMs();
    const estimateMs = this.nowMs();
    // The estimate is more precise than the header, unless it contradicts it.
    const isNear = estimateMs >= dateMs - DATE_PRECISION_MS && estimateMs <= dateMs + DATE_PRECISION_MS;
    if (!isNear) this.known = { serverMs: dateMs, machineMs };
  };

  /** The time of AWS; this machine's before the first answer. */
  readonly nowMs = (): number => {
    const machineMs = this.machine.nowMs();
    if (!this.known) return machineMs;
    return this.known.serverMs + (machineMs - this.known.machineMs) * (this.simulatedSpeed ?? 1);
  };

  /** How long a receive waits, in seconds: a long poll would not end where time stands still. */
  get pollSeconds(): number {
    return this.simulatedSpeed === 0 ? 0 : 1;
  }

  /**
   * Waits until so much of AWS's time has passed. Where its time stands still, until a caller has moved it that far, or so much of
   * this machine's time has passed.
   */
  readonly wait = async (milliseconds: number): Promise<void> => {
    const { machine, endpointUrl, simulatedSpeed } = this;
    if (simulatedSpeed === undefined || endpointUrl === undefined || milliseconds < SHORT_MS) {
      return machine.wait(milliseconds);
    }
    const untilMs = machine.nowMs() + milliseconds;
    const dueMs = this.nowMs() + milliseconds;
    while (this.nowMs() < dueMs && (simulatedSpeed > 0 || machine.nowMs() < untilMs)) {
      await machine.wait(Math.min(LOOK_EVERY_MS, Math.max(1, untilMs - machine.nowMs())));
      const time = await this.timeOf(endpointUrl);
      if (!time) return;
      this.known = { serverMs: time.nowMs, machineMs: machine.nowMs() };
    }
  };

  /** Says by how much this machine's clock is wrong. Undefined if it is right, or the endpoint is not AWS's own. */
  get skewText(): string | undefined {
    const aheadMs = this.machine.nowMs() - this.nowMs();
    if (this.endpointUrl !== undefined || Math.abs(aheadMs) < NOTABLE_SKEW_MS) return undefined;
    const by = formatDuration(Math.round(Math.abs(aheadMs) / 1_000));
    return `the clock of this machine is ${by} ${aheadMs > 0 ? 'ahead of' : 'behind'} AWS's: all times here are by AWS's clock`;
  }
}
