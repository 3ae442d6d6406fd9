//! The diagnoses of the generated hospital: ICD-10-like codes in categories, blocks and chapters.
//!
//! The weights are invented. They are skewed on purpose: a few codes make up most admissions and many are rare, which
//! is what makes small classes easy to attack.

use Profile::*;
use Ward::*;

/// How likely a category is at each age, relative to the others at that age.
#[derive(Clone, Copy, PartialEq)]
pub enum Profile {
    Newborn,
    Infant,
    Child,
    Young,
    Fertile,
    Middle,
    Late,
    Old,
    Any,
}

/// The first age of each band that [`Profile::weights`] has a figure for.
pub const BANDS: [u32; 9] = [0, 1, 10, 18, 30, 45, 60, 75, 90];

impl Profile {
    pub const fn weights(self) -> [u32; BANDS.len()] {
        match self {
            Newborn => [100, 0, 0, 0, 0, 0, 0, 0, 0],
            Infant => [70, 25, 3, 1, 0, 0, 0, 0, 0],
            Child => [15, 90, 70, 20, 4, 2, 1, 1, 1],
            Young => [0, 0, 30, 90, 50, 20, 8, 4, 2],
            Fertile => [0, 0, 0, 90, 80, 1, 0, 0, 0],
            Middle => [0, 0, 3, 25, 60, 90, 60, 30, 15],
            Late => [0, 0, 0, 2, 12, 50, 95, 90, 60],
            Old => [0, 0, 0, 0, 1, 8, 40, 95, 100],
            Any => [15, 30, 35, 40, 40, 40, 40, 40, 40],
        }
    }
}

pub const WARDS: [(&str, &str); 22] = [
    ("Cardiology", "Medicine"),
    ("Pulmonology", "Medicine"),
    ("Gastroenterology", "Medicine"),
    ("Neurology", "Medicine"),
    ("Oncology", "Medicine"),
    ("Haematology", "Medicine"),
    ("Endocrinology", "Medicine"),
    ("Nephrology", "Medicine"),
    ("Infectious Diseases", "Medicine"),
    ("Dermatology", "Medicine"),
    ("General Medicine", "Medicine"),
    ("Geriatrics", "Medicine"),
    ("General Surgery", "Surgery"),
    ("Orthopaedics", "Surgery"),
    ("Urology", "Surgery"),
    ("Head and Neck", "Surgery"),
    ("Gynaecology", "Women and children"),
    ("Obstetrics", "Women and children"),
    ("Neonatology", "Women and children"),
    ("Paediatrics", "Women and children"),
    ("Psychiatry", "Mental health"),
    ("Intensive Care", "Acute care"),
];

/// A place in [`WARDS`].
#[derive(Clone, Copy, PartialEq)]
#[repr(u8)]
pub enum Ward {
    Cardiology,
    Pulmonology,
    Gastroenterology,
    Neurology,
    Oncology,
    Haematology,
    Endocrinology,
    Nephrology,
    Infection,
    Dermatology,
    Medicine,
    Geriatrics,
    Surgery,
    Orthopaedics,
    Urology,
    HeadNeck,
    Gynaecology,
    Obstetrics,
    Neonatology,
    Paediatrics,
    Psychiatry,
    Intensive,
}

pub struct Category {
    /// `I21`
    pub id: &'static str,
    pub title: &'static str,
    /// The digits after the point, the most frequent first.
    pub digits: &'static str,
    /// How frequent among all.
    pub weight: u32,
    pub profile: Profile,
    /// Relative likelihood for women and for men.
    pub sexes: [u32; 2],
    pub ward: Ward,
    /// What a middling stay costs.
    pub cost: u32,
}

#[allow(clippy::too_many_arguments)]
const fn category(
    id: &'static str,
    title: &'static str,
    digits: &'static str,
    weight: u32,
    profile: Profile,
    sexes: [u32; 2],
    ward: Ward,
    cost: u32,
) -> Category {
    Category { id, title, digits, weight, profile, sexes, ward, cost }
}

const BOTH: [u32; 2] = [4, 4];
const WOMEN: [u32; 2] = [4, 0];
const MEN: [u32; 2] = [0, 4];
const MORE_WOMEN: [u32; 2] = [6, 2];
const MORE_MEN: [u32; 2] = [2, 6];

/// Chapters and their blocks, which are ranges of categories.
const CHAPTERS: &[(&str, &[&str])] = &[
    (
        "I Infectious diseases",
        &[
            "A00-A09 Intestinal infections",
            "A15-A19 Tuberculosis",
            "A30-A49 Other bacterial diseases",
            "B15-B24 Viral hepatitis and HIV",
        ],
    ),
    (
        "II Neoplasms",
        &[
            "C15-C26 Digestive organs",
            "C30-C39 Respiratory organs",
            "C43-C50 Skin and breast",
            "C51-C63 Genital organs",
            "C81-C96 Blood",
        ],
    ),
    ("III Blood", &["D50-D64 Anaemias", "D65-D69 Coagulation defects"]),
    (
        "IV Endocrine and metabolic diseases",
        &["E00-E07 Thyroid", "E10-E14 Diabetes", "E65-E90 Other metabolic diseases"],
    ),
    (
        "V Mental disorders",
        &[
            "F00-F09 Organic",
            "F10-F19 Psychoactive substances",
            "F20-F48 Psychoses, moods and anxiety",
            "F50-F59 Behaviour",
        ],
    ),
    ("VI Nervous system", &["G20-G26 Movement", "G30-G32 Degenerative", "G35-G37 Demyelinating", "G40-G47 Episodic"]),
    ("VII Eye", &["H25-H28 Lens", "H30-H36 Retina"]),
    ("VIII Ear", &["H65-H75 Middle ear", "H80-H95 Inner ear"]),
    (
        "IX Circulatory system",
        &[
            "I10-I15 Hypertension",
            "I20-I25 Ischaemic heart disease",
            "I26-I28 Lung circulation",
            "I30-I52 Other heart disease",
            "I60-I69 Cerebrovascular",
            "I70-I89 Vessels",
        ],
    ),
    (
        "X Respiratory system",
        &[
            "J00-J06 Upper airways",
            "J09-J18 Influenza and pneumonia",
            "J20-J22 Lower airways",
            "J30-J39 Nose and throat",
            "J40-J47 Chronic lower airways",
            "J60-J70 Lung disease by external agents",
        ],
    ),
    (
        "XI Digestive system",
        &[
            "K20-K31 Oesophagus and stomach",
            "K35-K46 Appendix and hernias",
            "K50-K52 Bowel inflammation",
            "K55-K63 Other bowel diseases",
            "K70-K77 Liver",
            "K80-K87 Gallbladder and pancreas",
        ],
    ),
    ("XII Skin", &["L00-L08 Infections", "L20-L45 Eczema and psoriasis"]),
    ("XIII Musculoskeletal system", &["M00-M25 Joints", "M40-M54 Back", "M80-M94 Bones"]),
    (
        "XIV Genitourinary system",
        &["N00-N23 Kidney", "N30-N39 Bladder", "N40-N51 Male organs", "N80-N98 Female organs"],
    ),
    ("XV Pregnancy and childbirth", &["O00-O08 Abortive outcome", "O10-O48 Pregnancy", "O60-O92 Delivery"]),
    ("XVI Perinatal period", &["P05-P08 Growth", "P20-P29 Breathing and heart", "P50-P61 Blood"]),
    ("XVII Malformations", &["Q20-Q28 Circulatory", "Q35-Q37 Cleft lip and palate"]),
    ("XVIII Symptoms", &["R00-R69 Signs"]),
    ("XIX Injuries", &["S00-S09 Head", "S40-S69 Arm", "S70-S99 Leg", "T20-T78 Burns, poisoning and others"]),
    ("XXI Contact with health services", &["Z00-Z39 Examinations and reproduction", "Z40-Z54 Aftercare"]),
];

/// The categories, in order. Each lies in one of the blocks.
pub const CATEGORIES: &[Category] = &[
    category("A02", "Salmonella infections", "01", 6, Any, BOTH, Infection, 2600),
    category("A08", "Viral intestinal infections", "0142", 30, Child, BOTH, Paediatrics, 1700),
    category("A09", "Infectious gastroenteritis", "09", 60, Any, BOTH, Infection, 1900),
    category("A15", "Respiratory tuberculosis", "0236", 5, Middle, MORE_MEN, Infection, 9800),
    category("A41", "Sepsis", "95108", 70, Old, BOTH, Intensive, 14500),
    category("A46", "Erysipelas", "0", 25, Late, BOTH, Dermatology, 2900),
    category("B18", "Chronic viral hepatitis", "21", 6, Middle, MORE_MEN, Gastroenterology, 4100),
    category("B20", "HIV disease with infections", "3718", 5, Middle, MORE_MEN, Infection, 8700),
    category("C18", "Cancer of colon", "72406", 38, Late, BOTH, Surgery, 13900),
    category("C20", "Cancer of rectum", "0", 18, Late, MORE_MEN, Surgery, 14200),
    category("C25", "Cancer of pancreas", "012", 14, Late, BOTH, Oncology, 15600),
    category("C34", "Cancer of bronchus and lung", "1390", 46, Late, MORE_MEN, Oncology, 11800),
    category("C43", "Melanoma of skin", "5697", 10, Middle, BOTH, Dermatology, 5200),
    category("C50", "Cancer of breast", "49852", 7, Late, [60, 1], Gynaecology, 8900),
    category("C53", "Cancer of cervix uteri", "910", 12, Middle, WOMEN, Gynaecology, 9400),
    category("C56", "Cancer of ovary", "0", 12, Late, WOMEN, Gynaecology, 12700),
    category("C61", "Cancer of prostate", "0", 42, Late, MEN, Urology, 9100),
    category("C62", "Cancer of testis", "91", 12, Young, MEN, Urology, 7300),
    category("C83", "Lymphoma", "3508", 12, Late, BOTH, Haematology, 16800),
    category("C91", "Lymphoid leukaemia", "01", 10, Child, BOTH, Haematology, 24500),
    category("D50", "Iron deficiency anaemia", "0985", 30, Old, MORE_WOMEN, Medicine, 2800),
    category("D57", "Sickle-cell disorders", "012", 3, Young, BOTH, Haematology, 5300),
    category("D61", "Aplastic anaemia", "931", 3, Late, BOTH, Haematology, 11200),
    category("D66", "Factor VIII deficiency", "0", 3, Child, MEN, Haematology, 21900),
    category("E04", "Nontoxic goitre", "210", 16, Middle, MORE_WOMEN, Surgery, 4600),
    category("E05", "Thyrotoxicosis", "0192", 8, Middle, MORE_WOMEN, Endocrinology, 3000),
    category("E10", "Type 1 diabetes", "9165", 20, Child, BOTH, Endocrinology, 3700),
    category("E11", "Type 2 diabetes", "97564", 60, Late, BOTH, Endocrinology, 4200),
    category("E66", "Obesity", "0289", 22, Middle, MORE_WOMEN, Surgery, 7600),
    category("E84", "Cystic fibrosis", "019", 3, Child, BOTH, Pulmonology, 15800),
    category("E86", "Dehydration", "0", 40, Old, BOTH, Geriatrics, 2300),
    category("F01", "Vascular dementia", "9123", 22, Old, BOTH, Geriatrics, 5600),
    category("F05", "Delirium", "189", 22, Old, BOTH, Geriatrics, 5100),
    category("F10", "Alcohol", "0243", 75, Middle, MORE_MEN, Psychiatry, 2400),
    category("F11", "Opioids", "243", 8, Young, MORE_MEN, Psychiatry, 3900),
    category("F19", "Several drugs", "210", 9, Young, MORE_MEN, Psychiatry, 3800),
    category("F20", "Schizophrenia", "0539", 26, Young, MORE_MEN, Psychiatry, 9900),
    category("F31", "Bipolar disorder", "3265", 10, Middle, BOTH, Psychiatry, 8800),
    category("F32", "Depressive episode", "21390", 48, Middle, MORE_WOMEN, Psychiatry, 7700),
    category("F43", "Stress reactions", "021", 30, Young, MORE_WOMEN, Psychiatry, 3300),
    category("F50", "Eating disorders", "0239", 6, Young, [20, 1], Psychiatry, 12400),
    category("G20", "Parkinson disease", "129", 20, Old, BOTH, Neurology, 6700),
    category("G30", "Alzheimer disease", "1908", 26, Old, MORE_WOMEN, Geriatrics, 5500),
    category("G35", "Multiple sclerosis", "130", 10, Young, MORE_WOMEN, Neurology, 4300),
    category("G40", "Epilepsy", "2396", 42, Any, BOTH, Neurology, 3400),
    category("G43", "Migraine", "190", 12, Young, MORE_WOMEN, Neurology, 1800),
    category("G45", "Transient ischaemic attack", "943", 40, Old, BOTH, Neurology, 3200),
    category("G47", "Sleep apnoea", "312", 34, Middle, MORE_MEN, Pulmonology, 1400),
    category("H25", "Senile cataract", "1290", 34, Old, BOTH, HeadNeck, 1900),
    category("H33", "Retinal detachment", "0125", 12, Late, MORE_MEN, HeadNeck, 3500),
    category("H65", "Otitis media", "3901", 40, Child, BOTH, HeadNeck, 1600),
    category("H81", "Vertigo", "1032", 26, Late, MORE_WOMEN, Neurology, 1900),
    category("H91", "Sudden hearing loss", "209", 10, Middle, BOTH, HeadNeck, 2000),
    category("I10", "Hypertension", "01", 95, Late, MORE_WOMEN, Cardiology, 1900),
    category("I11", "Hypertensive heart disease", "09", 20, Old, BOTH, Cardiology, 3000),
    category("I20", "Angina pectoris", "0189", 80, Late, MORE_MEN, Cardiology, 3700),
    category("I21", "Acute myocardial infarction", "41092", 105, Late, MORE_MEN, Cardiology, 8600),
    category("I25", "Chronic ischaemic heart disease", "1098", 70, Late, MORE_MEN, Cardiology, 5900),
    category("I26", "Pulmonary embolism", "90", 22, Late, BOTH, Pulmonology, 5400),
    category("I35", "Aortic valve disorders", "021", 30, Old, BOTH, Cardiology, 24800),
    category("I48", "Atrial fibrillation", "0192", 110, Old, BOTH, Cardiology, 3300),
    category("I50", "Heart failure", "1049", 190, Old, BOTH, Cardiology, 6100),
    category("I61", "Cerebral haemorrhage", "02169", 16, Old, BOTH, Intensive, 16500),
    category("I63", "Cerebral infarction", "43895", 95, Old, BOTH, Neurology, 8200),
    category("I70", "Atherosclerosis", "209", 38, Old, MORE_MEN, Surgery, 9200),
    category("I83", "Varicose veins", "912", 20, Middle, MORE_WOMEN, Surgery, 2300),
    category("J03", "Tonsillitis", "908", 22, Child, BOTH, HeadNeck, 1500),
    category("J06", "Upper airway infection", "98", 45, Infant, BOTH, Paediatrics, 1300),
    category("J10", "Influenza", "108", 40, Any, BOTH, Infection, 3500),
    category("J12", "Viral pneumonia", "8019", 20, Any, BOTH, Pulmonology, 5800),
    category("J18", "Pneumonia", "90182", 130, Old, BOTH, Pulmonology, 4900),
    category("J20", "Bronchitis", "9052", 50, Child, BOTH, Paediatrics, 1900),
    category("J21", "Bronchiolitis", "0189", 80, Infant, BOTH, Paediatrics, 2700),
    category("J34", "Deviated septum", "2831", 36, Young, MORE_MEN, HeadNeck, 2200),
    category("J35", "Diseases of tonsils", "0132", 45, Child, BOTH, HeadNeck, 1900),
    category("J44", "Chronic obstructive lung disease", "1089", 90, Late, MORE_MEN, Pulmonology, 4400),
    category("J45", "Asthma", "9018", 26, Child, BOTH, Pulmonology, 2100),
    category("J60", "Coalworker's pneumoconiosis", "0", 2, Old, MORE_MEN, Pulmonology, 5700),
    category("J61", "Asbestosis", "0", 2, Old, MORE_MEN, Pulmonology, 6200),
    category("J67", "Hypersensitivity pneumonitis", "029", 2, Middle, BOTH, Pulmonology, 4800),
    category("K21", "Reflux disease", "09", 24, Middle, BOTH, Gastroenterology, 2400),
    category("K25", "Gastric ulcer", "0439", 16, Late, BOTH, Gastroenterology, 4300),
    category("K29", "Gastritis", "1675", 45, Middle, BOTH, Gastroenterology, 1800),
    category("K35", "Acute appendicitis", "830", 60, Young, BOTH, Surgery, 4100),
    category("K40", "Inguinal hernia", "93041", 45, Late, [1, 9], Surgery, 2900),
    category("K50", "Crohn disease", "0189", 12, Young, BOTH, Gastroenterology, 4700),
    category("K51", "Ulcerative colitis", "0359", 9, Young, BOTH, Gastroenterology, 4600),
    category("K56", "Ileus", "6574", 38, Old, BOTH, Surgery, 7700),
    category("K57", "Diverticular disease", "329", 45, Late, BOTH, Surgery, 5200),
    category("K70", "Alcoholic liver disease", "3049", 20, Middle, MORE_MEN, Gastroenterology, 7900),
    category("K80", "Gallstones", "12054", 85, Middle, MORE_WOMEN, Surgery, 4500),
    category("K85", "Acute pancreatitis", "0128", 24, Middle, MORE_MEN, Gastroenterology, 6600),
    category("L02", "Abscess", "4213", 30, Young, MORE_MEN, Surgery, 2600),
    category("L03", "Cellulitis", "1029", 22, Late, BOTH, Dermatology, 2800),
    category("L20", "Atopic dermatitis", "89", 9, Child, BOTH, Dermatology, 2700),
    category("L40", "Psoriasis", "05439", 10, Middle, BOTH, Dermatology, 3600),
    category("M06", "Rheumatoid arthritis", "098", 14, Late, MORE_WOMEN, Medicine, 3900),
    category("M16", "Arthrosis of hip", "1079", 80, Old, BOTH, Orthopaedics, 8700),
    category("M17", "Arthrosis of knee", "1059", 75, Late, MORE_WOMEN, Orthopaedics, 8900),
    category("M23", "Derangement of knee", "23", 42, Young, MORE_MEN, Orthopaedics, 2500),
    category("M48", "Spinal stenosis", "0589", 30, Old, BOTH, Orthopaedics, 7100),
    category("M51", "Disc disorders", "1203", 55, Middle, BOTH, Orthopaedics, 5000),
    category("M54", "Back pain", "4516", 75, Middle, BOTH, Orthopaedics, 2700),
    category("M80", "Osteoporosis with fracture", "085", 10, Old, [12, 2], Orthopaedics, 6400),
    category("N10", "Pyelonephritis", "0", 28, Young, [8, 1], Nephrology, 2700),
    category("N17", "Acute kidney failure", "9081", 45, Old, BOTH, Nephrology, 6300),
    category("N18", "Chronic kidney disease", "5349", 28, Late, BOTH, Nephrology, 7200),
    category("N20", "Kidney stones", "1029", 55, Middle, MORE_MEN, Urology, 2800),
    category("N39", "Urinary infection", "0349", 75, Old, MORE_WOMEN, Medicine, 3400),
    category("N40", "Prostate hyperplasia", "0", 40, Old, MEN, Urology, 3600),
    category("N47", "Phimosis", "0", 30, Child, MEN, Urology, 1400),
    category("N80", "Endometriosis", "3019", 16, Young, WOMEN, Gynaecology, 3700),
    category("N81", "Genital prolapse", "123", 24, Late, WOMEN, Gynaecology, 4400),
    category("N83", "Ovarian cysts", "201", 22, Young, WOMEN, Gynaecology, 3300),
    category("O02", "Missed abortion", "10", 26, Fertile, WOMEN, Gynaecology, 1600),
    category("O04", "Medical abortion", "9541", 14, Fertile, WOMEN, Gynaecology, 1200),
    category("O14", "Pre-eclampsia", "019", 18, Fertile, WOMEN, Obstetrics, 4700),
    category("O26", "Pregnancy complications", "8927", 30, Fertile, WOMEN, Obstetrics, 2000),
    category("O36", "Fetal problems", "5493", 28, Fertile, WOMEN, Obstetrics, 3100),
    category("O60", "Preterm labour", "013", 22, Fertile, WOMEN, Obstetrics, 3800),
    category("O68", "Labour with fetal distress", "018", 48, Fertile, WOMEN, Obstetrics, 3400),
    category("O70", "Perineal laceration", "1023", 65, Fertile, WOMEN, Obstetrics, 2600),
    category("O80", "Normal delivery", "019", 230, Fertile, WOMEN, Obstetrics, 2400),
    category("O82", "Caesarean delivery", "018", 75, Fertile, WOMEN, Obstetrics, 4900),
    category("P07", "Preterm newborn", "3120", 130, Newborn, BOTH, Neonatology, 22500),
    category("P21", "Birth asphyxia", "901", 22, Newborn, BOTH, Neonatology, 9600),
    category("P22", "Respiratory distress of newborn", "180", 60, Newborn, BOTH, Neonatology, 11200),
    category("P59", "Neonatal jaundice", "908", 140, Newborn, BOTH, Neonatology, 1900),
    category("Q21", "Heart septal malformation", "1032", 26, Infant, BOTH, Paediatrics, 18900),
    category("Q37", "Cleft palate with lip", "1549", 6, Infant, BOTH, HeadNeck, 9900),
    category("R07", "Chest pain", "4312", 75, Middle, BOTH, Cardiology, 1500),
    category("R10", "Abdominal pain", "4312", 75, Young, MORE_WOMEN, Surgery, 1600),
    category("R55", "Syncope", "0", 60, Old, BOTH, Medicine, 2000),
    category("R56", "Convulsions", "08", 45, Infant, BOTH, Paediatrics, 1800),
    category("S02", "Skull fracture", "2460", 22, Young, MORE_MEN, HeadNeck, 4000),
    category("S06", "Intracranial injury", "0569", 110, Any, MORE_MEN, Neurology, 2200),
    category("S42", "Fracture of upper arm", "24301", 55, Any, BOTH, Orthopaedics, 4800),
    category("S52", "Fracture of forearm", "5634", 80, Child, BOTH, Orthopaedics, 3500),
    category("S62", "Fracture of hand", "36125", 26, Young, MORE_MEN, Orthopaedics, 2700),
    category("S72", "Fracture of femur", "01234", 95, Old, MORE_WOMEN, Orthopaedics, 9500),
    category("S82", "Fracture of lower leg", "68213", 60, Young, BOTH, Orthopaedics, 6000),
    category("S83", "Knee ligament injury", "5642", 34, Young, BOTH, Orthopaedics, 3900),
    category("T21", "Burn of trunk", "231", 6, Child, BOTH, Surgery, 8400),
    category("T39", "Poisoning by analgesics", "1398", 9, Young, MORE_WOMEN, Intensive, 2500),
    category("T56", "Toxic effect of metals", "041", 1, Any, BOTH, Medicine, 4600),
    category("T78", "Allergic reaction", "2348", 18, Child, BOTH, Medicine, 1300),
    category("Z03", "Observation", "869", 30, Any, BOTH, Medicine, 1100),
    category("Z38", "Newborn baby", "012", 420, Newborn, BOTH, Neonatology, 1200),
    category("Z45", "Implanted device", "0182", 22, Old, BOTH, Cardiology, 6900),
    category("Z51", "Chemotherapy session", "1058", 55, Late, BOTH, Oncology, 3100),
];

/// One code, such as `I21.4`.
pub struct Diagnosis {
    pub code: String,
    pub category: &'static Category,
    /// How frequent among all codes, before age and sex.
    pub weight: u32,
}

/// Every code in the order of the classification. The further back a digit stands in its category, the rarer it is.
pub fn diagnoses() -> Vec<Diagnosis> {
    let codes = CATEGORIES.iter().flat_map(|category| {
        let ranked = category.digits.chars().enumerate();
        ranked.map(move |(rank, digit)| Diagnosis {
            code: format!("{}.{digit}", category.id),
            category,
            weight: category.weight * (60 >> (2 * rank).min(5)),
        })
    });
    codes.collect()
}

/// `I21.4;I21 Acute myocardial infarction;I20-I25 Ischaemic heart disease;IX Circulatory system;*`
pub fn hierarchy() -> String {
    let mut text = String::new();
    for (chapter, blocks) in CHAPTERS {
        for block in *blocks {
            let range = block.split(' ').next().unwrap_or_default();
            let (first, last) = range.split_once('-').unwrap_or((range, range));
            for Category { id, title, digits, .. } in
                CATEGORIES.iter().filter(|category| (first..=last).contains(&category.id))
            {
                for digit in digits.chars() {
                    text.push_str(&format!("{id}.{digit};{id} {title};{block};{chapter};*\n"));
                }
            }
        }
    }
    text
}
