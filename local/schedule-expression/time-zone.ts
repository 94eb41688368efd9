const DAY_MS = 86_400_000;

/**
 * What the clocks on the wall show somewhere. A time on the wall is given as the milliseconds UTC would have at it. The
 * rules are those of this Node's own ICU.
 */
export class TimeZone {
  private readonly format: Intl.DateTimeFormat;

  private constructor(readonly name: string) {
    this.format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /** @param name as the IANA database has it, for example `America/New_York`; undefined when there is none such */
  static named(name: string): TimeZone | undefined {
    try {
      return new TimeZone(name);
    } catch (error) {
      if (error instanceof RangeError) return undefined;
      throw error;
    }
  }

  /** What the wall shows at an instant, to the second. */
  wallAt(instantMs: number): number {
    const parts = new Map(this.format.formatToParts(instantMs).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
  }

  /** The first instant at which the wall shows a time; undefined for one that is left out in spring. */
  instantOf(wallMs: number): number | undefined {
    const offsets = [wallMs - DAY_MS, wallMs + DAY_MS].map(around => this.wallAt(around) - around);
    const instants = offsets.map(offset => wallMs - offset).filter(instant => this.wallAt(instant) === wallMs);
    return instants.length > 0 ? Math.min(...instants) : undefined;
  }

  /** The instant of a time on the wall; one that is left out in spring is as much later as the clocks are put forward. */
  instantOrLater(wallMs: number): number {
    return this.instantOf(wallMs) ?? wallMs - (this.wallAt(wallMs - DAY_MS) - (wallMs - DAY_MS));
  }
}
