import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { RentalOrders, type RentalOrdersProps } from './rental-orders';

/** Properties of a `RentalOrdersStack`. */
export interface RentalOrdersStackProps extends StackProps {
  /**
   * What the backend is to be like.
   *
   * @default - the defaults of `RentalOrders`
   */
  readonly rentalOrders?: RentalOrdersProps;
}

/** `RentalOrders` in a stack of its own. */
export class RentalOrdersStack extends Stack {
  /** The backend. */
  public readonly rentalOrders: RentalOrders;

  constructor(scope: Construct, id: string, props: RentalOrdersStackProps = {}) {
    const { rentalOrders, ...stack } = props;
    super(scope, id, { description: 'A rental-car order backend that loses no order.', ...stack });
    this.rentalOrders = new RentalOrders(this, 'Rental', rentalOrders);
    new CfnOutput(this, 'OrdersUrl', {
      description: 'Post orders here, signed for execute-api.',
      value: this.rentalOrders.api.restApi.urlForPath('/orders'),
    });
  }
}
