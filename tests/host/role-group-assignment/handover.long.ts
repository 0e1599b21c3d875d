import { SAMPLE, SITUATIONS, testHandovers } from "./handover";

testHandovers(SITUATIONS.filter((situation) => !SAMPLE.includes(situation)));
