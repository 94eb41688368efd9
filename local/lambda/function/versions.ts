import { invalidParameter } from '../errors';
import type { LambdaContext } from '../trace-events';
import { type FunctionConfiguration, LATEST } from './function-configuration';

/** A version of a function: a published one, or `$LATEST`. */
export interface FunctionVersion {
  readonly configuration: FunctionConfiguration;
  readonly lastModifiedMs: number;
  /** Changes with every update. */
  readonly revisionId: string;
}

/**
 * The versions of one function: `$LATEST`, which can change, and the published versions, which cannot.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/configuration-versions.html
 */
export class Versions {
  private current: FunctionVersion;
  private readonly published = new Map<string, FunctionVersion>();
  private count = 0;
  private isGone = false;
  /** The configuration of `$LATEST` at the last publication. */
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

  /** `$LATEST`, then the published versions, oldest first. */
  all(): readonly FunctionVersion[] {
    return [this.current, ...this.published.values()];
  }

  /** Returns undefined when the version does not exist, or the function has been deleted. */
  find(version: string): FunctionVersion | undefined {
    if (this.isGone) return undefined;
    return version === LATEST ? this.current : this.published.get(version);
  }

  delete(version: string): void {
    this.published.delete(version);
  }

  /** Called when the function is deleted, so that references to this object find no version. */
  deleteAll(): void {
    this.isGone = true;
  }

  /** Changes `$LATEST`. */
  update(changes: Partial<FunctionConfiguration>): FunctionVersion {
    this.current = this.snapshot({ ...this.current.configuration, ...changes });
    return this.current;
  }

  /** Gives a version a new revision id, because something associated with it has changed, such as its policy. */
  revise(version: string): void {
    const { random } = this.context;
    const found = this.find(version);
    if (!found) return;
    const revised = { ...found, revisionId: random.uuid() };
    if (version === LATEST) this.current = revised;
    else this.published.set(version, revised);
  }

  /**
   * Publishes `$LATEST`. If nothing has changed since the last publication, returns that version.
   *
   * @param description @default that of `$LATEST`
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
