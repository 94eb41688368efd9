import { invalidParameter } from '../errors';
import type { LambdaContext } from '../ports';
import { type FunctionConfiguration, LATEST } from './function-configuration';

/** A version of a function: one that was published, or `$LATEST`. */
export interface FunctionVersion {
  readonly configuration: FunctionConfiguration;
  readonly lastModifiedMs: number;
  /** Another one after every change. */
  readonly revisionId: string;
}

/**
 * The versions of one function: `$LATEST`, which changes, and those that were published from it, which do not.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-versions.html
 */
export class Versions {
  private current: FunctionVersion;
  private readonly published = new Map<string, FunctionVersion>();
  private count = 0;
  private isGone = false;
  /** What `$LATEST` was when a version was last published from it. */
  private publishedFrom: FunctionConfiguration | undefined;

  constructor(
    configuration: FunctionConfiguration,
    private readonly context: Pick<LambdaContext, 'random' | 'timeline'>,
  ) {
    this.current = this.snapshot(configuration);
  }

  get latest(): FunctionVersion {
    return this.current;
  }

  /** `$LATEST`, then the published ones, oldest first. */
  all(): readonly FunctionVersion[] {
    return [this.current, ...this.published.values()];
  }

  /** Undefined when there is no such version, or the function is gone. */
  find(version: string): FunctionVersion | undefined {
    if (this.isGone) return undefined;
    return version === LATEST ? this.current : this.published.get(version);
  }

  /** Takes a published version away. */
  delete(version: string): void {
    this.published.delete(version);
  }

  /** The function is gone: whoever still holds it finds no version of it. */
  deleteAll(): void {
    this.isGone = true;
  }

  /** Changes `$LATEST`. */
  update(changes: Partial<FunctionConfiguration>): FunctionVersion {
    this.current = this.snapshot({ ...this.current.configuration, ...changes });
    return this.current;
  }

  /** Something around a version has changed, such as its policy: it has another revision id. */
  revise(version: string): void {
    const { random } = this.context;
    const found = this.find(version);
    if (!found) return;
    const revised = { ...found, revisionId: random.uuid() };
    if (version === LATEST) this.current = revised;
    else this.published.set(version, revised);
  }

  /**
   * Publishes `$LATEST`. What has not changed since the last time is not published again: the version of that time is
   * answered.
   *
   * @param description of the version. @default that of `$LATEST`
   */
  publish(description?: string): FunctionVersion {
    const { configuration } = this.current;
    const last = this.published.get(String(this.count));
    if (last && this.publishedFrom === configuration) return last;
    this.count += 1;
    this.publishedFrom = configuration;
    const version = String(this.count);
    const published = this.snapshot({
      ...configuration,
      version,
      description: description ?? configuration.description,
    });
    this.published.set(version, published);
    this.revise(LATEST);
    return published;
  }

  /** @throws AwsError `InvalidParameterValueException` when the hash is not that of the code in `$LATEST` */
  checkCode(codeSha256: string | undefined, current: string): void {
    if (codeSha256 === undefined || codeSha256 === current) return;
    throw invalidParameter(
      `CodeSHA256 (${codeSha256}) is different from current CodeSHA256 in $LATEST (${current}). ` +
        'Please try again with the CodeSHA256 in $LATEST.',
    );
  }

  private snapshot(configuration: FunctionConfiguration): FunctionVersion {
    const { random, timeline } = this.context;
    return { configuration, lastModifiedMs: timeline.nowMs, revisionId: random.uuid() };
  }
}
