import { abortAfter } from '../../mover/aws/clock';
import { formatDuration } from '../../policy/format-text';
import { parseObject } from '../../policy/json-members';
import { MINUTE_MS } from '../../policy/time-units';

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
const NOTABLE_SKEW_MS = MINUTE_MS;

/** How often a simulation is asked for its time while the command waits. */
const LOOK_EVERY_MS = 200;

/** Shorter waits are pauses between calls, which are about this machine. */
const SHORT_MS = 2_000;

/** How long a command waits on this machine while the time of a simulation does not move at all. */
const STANDSTILL_MS = 30_000;

/** When it is said that time stands still. */
const STANDSTILL_SAID_MS = 1_000;

const HEALTH_TIMEOUT_MS = 2_000;

async function simulatedTime(endpointUrl: string): Promise<SimulatedTime | undefined> {
  try {
    const response = await fetch(new URL('/_dlo/health', endpointUrl), {
      signal: abortAfter(HEALTH_TIMEOUT_MS),
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
 * The clock of AWS, or of the embedded AWS, by the Date header of its answers. With `dlo local`, time may begin in another year,
 * pass faster, or stand still. A machine whose clock is wrong would say wrong ages and expiries.
 */
export class ServerClock {
  /** AWS's time, and this machine's when it was that. */
  private known: { readonly serverMs: number; readonly machineMs: number } | undefined;
  private endpointUrl: string | undefined;
  private simulatedSpeed: number | undefined;
  /** Where time stands still, the pauses between calls: the pace of calls would never be reached without them. */
  private pausedMs = 0;
  /** Since when a command waits, by this machine, and time has not moved. */
  private standsSinceMs: number | undefined;
  private lookedAtMs = 0;
  private isStandstillSaid = false;

  /** @param say prints a warning. @default - it is not said that a wait cannot end */
  constructor(
    private readonly machine: MachineClock,
    private readonly say: (text: string) => void = () => {},
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
    const estimateMs = this.nowMs() - this.pausedMs;
    // The estimate is more precise than the header, unless it contradicts it.
    const isNear = estimateMs >= dateMs - DATE_PRECISION_MS && estimateMs <= dateMs + DATE_PRECISION_MS;
    if (!isNear) this.known = { serverMs: dateMs, machineMs };
  };

  /** The time of AWS; this machine's before the first answer. */
  readonly nowMs = (): number => {
    const machineMs = this.machine.nowMs();
    if (!this.known) return machineMs;
    return this.known.serverMs + (machineMs - this.known.machineMs) * (this.simulatedSpeed ?? 1) + this.pausedMs;
  };

  /** How long a receive waits, in seconds: a long poll would not end where time stands still. */
  get pollSeconds(): number {
    return this.simulatedSpeed === 0 ? 0 : 1;
  }

  /**
   * Waits until so much of AWS's time has passed. A pause between calls goes by this machine.
   * @throws Error when the time of a simulation stands still, and no caller moves it
   */
  readonly wait = async (milliseconds: number): Promise<void> => {
    const { machine, simulatedSpeed } = this;
    const isPause = milliseconds <= SHORT_MS;
    if (simulatedSpeed === undefined || (isPause && simulatedSpeed > 0)) return machine.wait(milliseconds);
    this.standsSinceMs ??= machine.nowMs();
    if (isPause) {
      await machine.wait(milliseconds);
      this.pausedMs += milliseconds;
      await this.look();
      return;
    }
    const untilMs = machine.nowMs() + milliseconds;
    const dueMs = this.nowMs() + milliseconds;
    for (let isThere = true; isThere && this.nowMs() < dueMs; isThere = await this.look()) {
      const leftMs = untilMs - machine.nowMs();
      await machine.wait(leftMs > 0 ? Math.min(LOOK_EVERY_MS, leftMs) : LOOK_EVERY_MS);
    }
  };

  /**
   * Reads the time of a simulation, but not too often.
   * @returns whether it is there
   */
  private async look(): Promise<boolean> {
    const { machine, endpointUrl = '' } = this;
    if (machine.nowMs() - this.lookedAtMs < LOOK_EVERY_MS) return true;
    const time = await this.timeOf(endpointUrl);
    if (!time) return false;
    const nowMs = machine.nowMs();
    this.lookedAtMs = nowMs;
    if (time.nowMs !== this.known?.serverMs) this.standsSinceMs = nowMs;
    this.known = { serverMs: time.nowMs, machineMs: nowMs };
    const standstillMs = nowMs - (this.standsSinceMs ?? nowMs);
    if (standstillMs < STANDSTILL_SAID_MS) return true;
    const text = `time stands still at ${endpointUrl}: move it with POST /_dlo/advance, or start dlo local with --speed 1`;
    if (standstillMs >= STANDSTILL_MS) throw new Error(text);
    if (!this.isStandstillSaid) this.say(`${text}. Waiting ${STANDSTILL_MS / 1_000} s for that`);
    this.isStandstillSaid = true;
    return true;
  }

  /** Says by how much this machine's clock is wrong. Undefined if it is right, or the endpoint is not AWS's own. */
  get skewText(): string | undefined {
    const aheadMs = this.machine.nowMs() - this.nowMs();
    if (this.endpointUrl !== undefined || Math.abs(aheadMs) < NOTABLE_SKEW_MS) return undefined;
    const by = formatDuration(Math.round(Math.abs(aheadMs) / 1_000));
    return `the clock of this machine is ${by} ${aheadMs > 0 ? 'ahead of' : 'behind'} AWS's: all times here are by AWS's clock`;
  }
}
