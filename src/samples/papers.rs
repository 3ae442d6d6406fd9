//! The tables printed in the papers, cell for cell, and the hierarchies that their figures show.
//!
//! The inpatients are Figure 1 of the l-diversity paper, the medical records Table 1 of the DIVA paper, the seven
//! patients Figure 3 of the constrained k-anonymity paper, the five patients Table 1(a) of the (l,delta)-diversity
//! paper, and hospitals A and B the two releases of its Table 2. That table prints gender and postal code as one
//! pair; here they are two columns, and since a class there never mixes genders nothing is lost. The tables of the
//! (tau,l)-diversity paper are drawings whose cells its text does not repeat, so they are not here.

pub const INPATIENTS: &str = "\
ZIP,Age,Nationality,Condition
13053,28,Russian,Heart Disease
13068,29,American,Heart Disease
13068,21,Japanese,Viral Infection
13053,23,American,Viral Infection
14853,50,Indian,Cancer
14853,55,Russian,Heart Disease
14850,47,American,Viral Infection
14850,49,American,Viral Infection
13053,31,American,Cancer
13053,37,Indian,Cancer
13068,36,Japanese,Cancer
13068,35,American,Cancer
";

pub const MEDICAL_RECORDS: &str = "\
ID,GEN,ETH,AGE,PRV,CTY,DIAG
t1,Female,Caucasian,80,AB,Calgary,Hypertension
t2,Female,Caucasian,32,AB,Calgary,Tuberculosis
t3,Male,Caucasian,59,AB,Calgary,Osteoarthritis
t4,Male,Caucasian,46,MB,Winnipeg,Migraine
t5,Male,African,31,MB,Winnipeg,Hypertension
t6,Male,African,43,BC,Vancouver,Seizure
t7,Male,Caucasian,29,BC,Vancouver,Hypertension
t8,Female,Asian,58,BC,Vancouver,Seizure
t9,Female,Asian,47,MB,Winnipeg,Influenza
t10,Female,Asian,71,BC,Vancouver,Migraine
";

pub const SEVEN_PATIENTS: &str = "\
Record,Name,SSN,Age,Location,Sex,Race,Diagnosis,Income
r1,Alice,123456789,32,San Diego,M,W,AIDS,\"17,000\"
r2,Bob,323232323,30,Los Angeles,M,W,Asthma,\"68,000\"
r3,Charley,232345656,42,Wichita,M,W,Asthma,\"80,000\"
r4,Dave,333333333,30,Kansas City,M,W,Asthma,\"55,000\"
r5,Eva,666666666,35,Lincoln,F,W,Diabetes,\"23,000\"
r6,John,214365879,20,Lincoln,M,B,Asthma,\"55,000\"
r7,Casey,909090909,25,Wichita,F,B,Diabetes,\"23,000\"
";

pub const FIVE_PATIENTS: &str = "\
Gender,Postal Code,Disease
Male,560012,Heart disease
Male,560011,Lung infection
Female,560010,Osteoporosis
Female,560010,Cervical cancer
Female,560010,Osteoporosis
";

pub const HOSPITAL_A: &str = "\
Gender,Postal Code,Disease
Male,560012 or 560011,Heart disease
Male,560012 or 560011,Lung infection
Female,560010,Osteoporosis
Female,560010,Cervical cancer
";

pub const HOSPITAL_B: &str = "\
Gender,Postal Code,Disease
Female,560008,Irritable bowel syndrome
Female,560008,Lung infection
Female,560010,Cervical cancer
Female,560010,Amoebic dysentery
";

/// The ages as Figure 2 (`< 30`, `3*`, `≥ 40`) and Figure 4 (`≤ 40`, `> 40`) of the paper group them; no patient is
/// exactly 40. Nationalities are only ever suppressed.
pub const INPATIENTS_HIERARCHIES: [(&str, &str); 3] = [
    (
        "ZIP",
        "13053;1305*;130**;13***;1****;*\n13068;1306*;130**;13***;1****;*\n14850;1485*;148**;14***;1****;*\n\
         14853;1485*;148**;14***;1****;*\n",
    ),
    (
        "Age",
        "21;< 30;≤ 40;*\n23;< 30;≤ 40;*\n28;< 30;≤ 40;*\n29;< 30;≤ 40;*\n31;3*;≤ 40;*\n35;3*;≤ 40;*\n36;3*;≤ 40;*\n\
         37;3*;≤ 40;*\n47;≥ 40;> 40;*\n49;≥ 40;> 40;*\n50;≥ 40;> 40;*\n55;≥ 40;> 40;*\n",
    ),
    ("Nationality", "American;*\nIndian;*\nJapanese;*\nRussian;*\n"),
];

/// Location is Figure 2, with the `*` of the file format above its root United States. Sex and Race go straight to
/// `*` in Figure 4. Its age intervals overlap and come from no tree, so the decades are ours.
pub const SEVEN_PATIENTS_HIERARCHIES: [(&str, &str); 4] = [
    ("Age", "20;20-29;*\n25;20-29;*\n30;30-39;*\n32;30-39;*\n35;30-39;*\n42;40-49;*\n"),
    (
        "Location",
        "San Diego;California;West Coast;United States;*\nLos Angeles;California;West Coast;United States;*\n\
         Wichita;Kansas;Midwest;United States;*\nKansas City;Kansas;Midwest;United States;*\n\
         Lincoln;Nebraska;Midwest;United States;*\n",
    ),
    ("Sex", "F;*\nM;*\n"),
    ("Race", "B;*\nW;*\n"),
];

/// The one generalization of Table 1(b).
pub const FIVE_PATIENTS_HIERARCHIES: [(&str, &str); 2] = [
    ("Gender", "Female;*\nMale;*\n"),
    ("Postal Code", "560012;560012 or 560011;*\n560011;560012 or 560011;*\n560010;560010;*\n"),
];
