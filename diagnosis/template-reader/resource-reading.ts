import type { PropertyValue } from '../../template/given';
import type { StackReading } from '../../template/stack-reading';
import { type DeclaredResource, isTransformed, propertyOf } from '../../template/template-stack';
import type { MaybeKnown } from '../../template/told';
import { isKnown } from '../../template/told';
import { scalarText } from '../../template/values';
import type { Resource, TemplatePlace } from '../inventory/inventory';

/** What CDK calls the resource in which a construct is deployed. */
const OWN_RESOURCE = /\/(Resource|Default)$/;

/** How aws-cdk-lib writes a URL that is a construct's id, and what in it is often secret: user, password and parameters. */
const URL_SECRETS = /(https?:-{4})(?:[^/@]*@)?([^/?#]*)(?:[?#][^/]*)?/gi;

/** A resource of a template, read as far as can be before it is deployed. */
export class ResourceReading {
  private readonly read = new Map<string, PropertyValue>();

  /** @param isCertain whether it is surely made: its condition, where it has one, may not be known */
  constructor(
    readonly stack: StackReading,
    private readonly declared: DeclaredResource,
    readonly isCertain: boolean,
  ) {}

  get type(): string {
    return this.declared.type;
  }

  /** A property. */
  given(name: string): PropertyValue {
    const known = this.read.get(name);
    if (known) return known;
    const given = this.stack.given(propertyOf(this.declared, name), name);
    this.read.set(name, given);
    return given;
  }

  /** The names of the properties it is given; none where a macro gives them. */
  get properties(): readonly string[] {
    return isTransformed(this.declared) ? [] : Object.keys(this.declared.properties);
  }

  /** All properties at once. */
  get all(): PropertyValue {
    return this.stack.given(this.declared.properties, 'Properties');
  }

  /** Evaluates all it has, whatever of that somebody asks for. */
  evaluateAll(): void {
    for (const name of this.properties) this.given(name);
  }

  /** What `Ref` answers. */
  get ref(): MaybeKnown<string> {
    return this.stack.given({ Ref: this.declared.logicalId }, 'Ref').text('');
  }

  attribute(name: string): MaybeKnown<string> {
    return this.stack.given({ 'Fn::GetAtt': [this.declared.logicalId, name] }, name).text('');
  }

  /**
   * What checks know it by.
   * @param arn what its ARN will be
   * @param part what of it, where it is more than one thing
   */
  as(arn: MaybeKnown<string>, part = ''): Resource {
    const { place } = this;
    const path = place.constructPath?.replace(OWN_RESOURCE, '') ?? place.logicalId;
    const unknown = `<${place.stack}.${place.logicalId}>`;
    const name = `${path.replace(URL_SECRETS, '$1$2')}${part}`;
    return { arn: isKnown(arn) ? arn : unknown, name, place };
  }

  /** Where it stands. */
  get place(): TemplatePlace {
    const { logicalId, metadata } = this.declared;
    const { stack } = this.stack;
    const constructPath = scalarText(metadata['aws:cdk:path']) ?? stack.constructPaths?.get(logicalId);
    return {
      stack: stack.stackName,
      logicalId,
      templatePath: stack.templatePath,
      ...(constructPath !== undefined && { constructPath }),
      waitsFor: this.stack.waitsFor.get(logicalId) ?? [],
    };
  }
}
