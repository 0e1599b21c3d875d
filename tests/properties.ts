import fc from "fast-check";

// The same values in every run, so that a failure is due to what was changed. PROPERTY_SEED=… draws others.
fc.configureGlobal({ seed: Number(process.env["PROPERTY_SEED"] ?? 20_251) });

export default fc;
