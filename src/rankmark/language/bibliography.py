"""The sources of the pages, each once; a page names them by their keys, ``[jarvelin2002]``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from textwrap import fill

__all__ = ["BIBLIOGRAPHY", "KEY", "cited"]

KEY = re.compile(r"\[([a-z]+[0-9]{4})\]")
"""How a page names a source."""

WIDTH = 106  # of a docstring's line, within a function


def cited(text: str) -> str:
    """A page's text with its sources in the place of their keys."""
    return "\n\n".join(map(_cited, text.split("\n\n")))


def _cited(paragraph: str) -> str:
    if not KEY.search(paragraph):
        return paragraph
    words = KEY.sub(lambda found: BIBLIOGRAPHY[found[1]], " ".join(paragraph.split()))
    return fill(words, WIDTH, break_on_hyphens=False, break_long_words=False)


BIBLIOGRAPHY: Mapping[str, str] = {
    "abdollahpouri2019": (
        'H. Abdollahpouri, R. Burke, B. Mobasher, "Managing popularity bias in recommender systems '
        'with personalized re-ranking", FLAIRS 2019'
    ),
    "abdollahpouri2020": (
        'H. Abdollahpouri, M. Mansoury, R. Burke, B. Mobasher, "The connection between popularity bias, '
        'calibration, and fairness in recommendation", RecSys 2020'
    ),
    "abdollahpouri2021": (
        'H. Abdollahpouri, M. Mansoury, R. Burke, B. Mobasher, E. Malthouse, "User-centered evaluation of '
        'popularity bias in recommender systems", UMAP 2021'
    ),
    "achen1982": 'C. Achen, "Interpreting and Using Regression", 1982',
    "adamopoulos2014": (
        'P. Adamopoulos, A. Tuzhilin, "On unexpectedness in recommender systems: or how to better expect the '
        'unexpected", ACM TIST 5(4), 2014'
    ),
    "adomavicius2012": (
        'G. Adomavicius, Y. Kwon, "Improving aggregate recommendation diversity using ranking-based '
        'techniques", IEEE TKDE 24(5), 2012'
    ),
    "agrawal2009": (
        'R. Agrawal, S. Gollapudi, A. Halverson, S. Ieong, "Diversifying search results", WSDM 2009'
    ),
    "altman1994": 'D. Altman, J. Bland, "Diagnostic tests 2: predictive values", BMJ 309, 1994',
    "anelli2021": (
        'V. Anelli et al., "Elliot: a comprehensive and rigorous framework for reproducible '
        'recommender systems evaluation", SIGIR 2021'
    ),
    "aslam2007": (
        'J. Aslam, V. Pavlu, "A practical sampling strategy for efficient retrieval evaluation", technical '
        "report, Northeastern University 2007"
    ),
    "azzopardi2021": (
        'L. Azzopardi, J. Mackenzie, A. Moffat, "ERR is not C/W/L: exploring the relationship '
        'between expected reciprocal rank and other metrics", ICTIR 2021'
    ),
    "bailey2015": (
        'P. Bailey, A. Moffat, F. Scholer, P. Thomas, "User variability and IR system evaluation", SIGIR 2015'
    ),
    "beutel2019": (
        'A. Beutel et al., "Fairness in recommendation ranking through pairwise comparisons", KDD 2019'
    ),
    "biega2018": (
        'A. Biega, K. Gummadi, G. Weikum, "Equity of attention: amortizing individual fairness in rankings", '
        "SIGIR 2018"
    ),
    "bordes2013": 'A. Bordes et al., "Translating embeddings for modeling multi-relational data", NIPS 2013',
    "brier1950": (
        'G. Brier, "Verification of forecasts expressed in terms of probability", Monthly Weather '
        "Review 78, 1950"
    ),
    "brodersen2010": (
        'K. Brodersen, C. Ong, K. Stephan, J. Buhmann, "The balanced accuracy and its posterior '
        'distribution", ICPR 2010'
    ),
    "brynjolfsson2011": (
        'E. Brynjolfsson, Y. Hu, D. Simester, "Goodbye Pareto principle, hello long tail: the effect of '
        'search costs on the concentration of product sales", Management Science 57(8), 2011'
    ),
    "buckley2000": 'C. Buckley, E. Voorhees, "Evaluating evaluation measure stability", SIGIR 2000',
    "buckley2004": 'C. Buckley, E. Voorhees, "Retrieval evaluation with incomplete information", SIGIR 2004',
    "buckley2005": (
        'C. Buckley, E. Voorhees, "Retrieval system evaluation", in "TREC: Experiment and '
        'Evaluation in Information Retrieval", 2005'
    ),
    "burges2005": 'C. Burges et al., "Learning to rank using gradient descent", ICML 2005',
    "chapelle2009": (
        'O. Chapelle, D. Metzler, Y. Zhang, P. Grinspan, "Expected reciprocal rank for graded '
        'relevance", CIKM 2009'
    ),
    "chapelle2011": (
        'O. Chapelle, S. Ji, C. Liao, E. Velipasaoglu, L. Lai, S. Wu, "Intent-based diversification of web '
        'search results: metrics and algorithms", Information Retrieval 14(6), 2011'
    ),
    "clarke2008": (
        'C. Clarke, M. Kolla, G. Cormack, O. Vechtomova, A. Ashkan, S. Büttcher, I. MacKinnon, "Novelty and '
        'diversity in information retrieval evaluation", SIGIR 2008'
    ),
    "clarke2009": (
        'C. Clarke, M. Kolla, O. Vechtomova, "An effectiveness measure for ambiguous and underspecified '
        'queries", ICTIR 2009'
    ),
    "clarke2011": (
        'C. Clarke, N. Craswell, I. Soboroff, A. Ashkan, "A comparative analysis of cascade measures for '
        'novelty and diversity", WSDM 2011'
    ),
    "clarke2021": 'C. Clarke, A. Vtyurina, M. Smucker, "Assessing top-k preferences", TOIS 39(3), 2021',
    "cohen1960": (
        'J. Cohen, "A coefficient of agreement for nominal scales", Educational and Psychological '
        "Measurement 20, 1960"
    ),
    "cohen1968": (
        'J. Cohen, "Weighted kappa: nominal scale agreement with provision for scaled '
        'disagreement or partial credit", Psychological Bulletin 70, 1968'
    ),
    "corsi2024": 'M. Corsi, J. Urbano, "The treatment of ties in rank-biased overlap", SIGIR 2024',
    "cox1958": 'D. Cox, "Two further applications of a model for binary regression", Biometrika 45, 1958',
    "craswell2004": 'N. Craswell, D. Hawking, "Overview of the TREC 2004 Web track"',
    "davis2006": (
        'J. Davis, M. Goadrich, "The relationship between precision-recall and ROC curves", ICML 2006'
    ),
    "demyttenaere2016": (
        'A. de Myttenaere, B. Golden, B. Le Grand, F. Rossi, "Mean absolute percentage error for '
        'regression models", Neurocomputing 192, 2016'
    ),
    "deshpande2004": (
        'M. Deshpande, G. Karypis, "Item-based top-N recommendation algorithms", TOIS 22(1), 2004'
    ),
    "diaz2020": (
        'F. Diaz, B. Mitra, M. Ekstrand, A. Biega, B. Carterette, "Evaluating stochastic rankings with '
        'expected exposure", CIKM 2020'
    ),
    "ekstrand2021": (
        'M. Ekstrand, G. McDonald, A. Raj, I. Johnson, "Overview of the TREC 2021 Fair Ranking track", TREC '
        "2021"
    ),
    "engelmann2003": 'B. Engelmann, E. Hayden, D. Tasche, "Testing rating accuracy", Risk 16, 2003',
    "fagin2003": (
        'R. Fagin, R. Kumar, D. Sivakumar, "Comparing top k lists", SIAM Journal on Discrete '
        "Mathematics 17, 2003"
    ),
    "flach2003": (
        'P. Flach, "The geometry of ROC space: understanding machine learning metrics through ROC '
        'isometrics", ICML 2003'
    ),
    "friedman2023": (
        'D. Friedman, A. Dieng, "The Vendi score: a diversity evaluation metric for machine learning", '
        "TMLR 2023"
    ),
    "gauss1823": 'C. Gauss, "Theoria combinationis observationum erroribus minimis obnoxiae", 1823',
    "ge2010": (
        'M. Ge, C. Delgado-Battenfeld, D. Jannach, "Beyond accuracy: evaluating recommender systems by '
        'coverage and serendipity", RecSys 2010'
    ),
    "geyik2019": (
        'S. Geyik, S. Ambler, K. Kenthapadi, "Fairness-aware ranking in search and recommendation systems '
        'with application to LinkedIn talent search", KDD 2019'
    ),
    "good1952": 'I. Good, "Rational decisions", Journal of the Royal Statistical Society B 14, 1952',
    "gorodkin2004": (
        'J. Gorodkin, "Comparing two K-category assignments by a K-category correlation '
        'coefficient", Computational Biology and Chemistry 28, 2004'
    ),
    "graepel2010": (
        'T. Graepel, J. Quiñonero Candela, T. Borchert, R. Herbrich, "Web-scale Bayesian '
        "click-through rate prediction for sponsored search advertising in Microsoft's Bing "
        'search engine", ICML 2010'
    ),
    "gulin2009": (
        "A. Gulin, P. Karpovich, D. Raskovalov, I. Segalovich, \"Yandex at ROMIP'2009: optimization of "
        'ranking algorithms by machine learning methods", ROMIP 2009'
    ),
    "hand2001": (
        'D. Hand, R. Till, "A simple generalisation of the area under the ROC curve for multiple '
        'class classification problems", Machine Learning 45, 2001'
    ),
    "hanley1982": (
        'J. Hanley, B. McNeil, "The meaning and use of the area under a receiver operating '
        'characteristic curve", Radiology 143, 1982'
    ),
    "he2014": 'X. He et al., "Practical lessons from predicting clicks on ads at Facebook", ADKDD 2014',
    "herlocker2004": (
        'J. Herlocker, J. Konstan, L. Terveen, J. Riedl, "Evaluating collaborative filtering recommender '
        'systems", ACM TOIS 22(1), 2004'
    ),
    "hiranandani2020": (
        'G. Hiranandani, W. Vijitbenjaronk, S. Koyejo, P. Jain, "Optimization and analysis of the '
        'pAp@k metric for recommender systems", ICML 2020'
    ),
    "hu2008": (
        'Y. Hu, Y. Koren, C. Volinsky, "Collaborative filtering for implicit feedback datasets", ICDM 2008'
    ),
    "jaccard1912": 'P. Jaccard, "The distribution of the flora in the alpine zone", New Phytologist 11, 1912',
    "jarvelin2002": (
        'K. Järvelin, J. Kekäläinen, "Cumulated gain-based evaluation of IR techniques", TOIS 20(4), 2002'
    ),
    "kendall1945": 'M. Kendall, "The treatment of ties in ranking problems", Biometrika 33, 1945',
    "kumar2019": 'A. Kumar, P. Liang, T. Ma, "Verified uncertainty calibration", NeurIPS 2019',
    "ling1998": 'C. Ling, C. Li, "Data mining for direct marketing: problems and solutions", KDD 1998',
    "macavaney2022": (
        'S. MacAvaney, C. Macdonald, I. Ounis, "Streamlining evaluation with ir-measures", ECIR 2022'
    ),
    "makridakis1993": (
        'S. Makridakis, "Accuracy measures: theoretical and practical concerns", International '
        "Journal of Forecasting 9, 1993"
    ),
    "matthews1975": (
        'B. Matthews, "Comparison of the predicted and observed secondary structure of T4 phage '
        'lysozyme", Biochimica et Biophysica Acta 405, 1975'
    ),
    "mcclish1989": 'D. McClish, "Analyzing a portion of the ROC curve", Medical Decision Making 9, 1989',
    "metz1978": 'C. Metz, "Basic principles of ROC analysis", Seminars in Nuclear Medicine 8, 1978',
    "moffat2008": (
        'A. Moffat, J. Zobel, "Rank-biased precision for measurement of retrieval effectiveness", '
        "TOIS 27(1), 2008"
    ),
    "moffat2012": (
        'A. Moffat, F. Scholer, P. Thomas, "Models and metrics: IR evaluation as a user process", ADCS 2012'
    ),
    "moffat2013": (
        'A. Moffat, P. Thomas, F. Scholer, "Users versus models: what observation tells us about '
        'effectiveness metrics", CIKM 2013'
    ),
    "murakami2007": (
        'T. Murakami, K. Mori, R. Orihara, "Metrics for evaluating the serendipity of recommendation lists", '
        "JSAI 2007"
    ),
    "murphy1973": (
        'A. Murphy, "A new vector partition of the probability score", Journal of Applied '
        "Meteorology 12, 1973"
    ),
    "naeini2015": (
        'M. Naeini, G. Cooper, M. Hauskrecht, "Obtaining well calibrated probabilities using '
        'Bayesian binning", AAAI 2015'
    ),
    "nixon2019": (
        'J. Nixon, M. Dusenberry, L. Zhang, G. Jerfel, D. Tran, "Measuring calibration in deep '
        'learning", CVPR workshops 2019'
    ),
    "pasarkar2024": (
        'A. Pasarkar, A. Dieng, "Cousins of the Vendi score: a family of similarity-based diversity metrics '
        'for science and machine learning", AISTATS 2024'
    ),
    "pasumarthi2019": (
        'R. Pasumarthi et al., "TF-Ranking: scalable TensorFlow library for learning-to-rank", KDD 2019'
    ),
    "pearson1895": (
        'K. Pearson, "Note on regression and inheritance in the case of two parents", Proceedings '
        "of the Royal Society of London 58, 1895"
    ),
    "raj2022": (
        'A. Raj, M. Ekstrand, "Measuring fairness in ranked results: an analytical and empirical '
        'comparison", SIGIR 2022'
    ),
    "robertson2002": 'S. Robertson, I. Soboroff, "The TREC 2002 filtering track report"',
    "robertson2012": 'S. Robertson, "On smoothing average precision", ECIR 2012',
    "roelofs2022": (
        'R. Roelofs, N. Cain, J. Shlens, M. Mozer, "Mitigating bias in calibration error '
        'estimation", AISTATS 2022'
    ),
    "sakai2004": (
        'T. Sakai, "New performance metrics based on multigrade relevance: their application to '
        'question answering", NTCIR-4, 2004'
    ),
    "sakai2006": (
        'T. Sakai, "On the task of finding one highly relevant document with high precision", '
        "IPSJ Transactions on Databases 47, 2006"
    ),
    "sakai2007": (
        'T. Sakai, "On the properties of evaluation metrics for finding one highly relevant '
        'document", IPSJ Transactions on Databases 48, 2007'
    ),
    "sakai2008": (
        'T. Sakai, S. Robertson, "Modelling a user population for designing information retrieval '
        'metrics", EVIA 2008'
    ),
    "sakai2011": (
        'T. Sakai, R. Song, "Evaluating diversified search results using per-intent graded '
        'relevance", SIGIR 2011'
    ),
    "salton1983": 'G. Salton, M. McGill, "Introduction to Modern Information Retrieval", 1983, chapter 5',
    "sapiezynski2019": (
        'P. Sapiezynski, W. Zeng, R. Robertson, A. Mislove, C. Wilson, "Quantifying the impact of user '
        'attention on fair group representation in ranked lists", WWW Companion 2019'
    ),
    "schroder2011": (
        'G. Schröder, M. Thiele, W. Lehner, "Setting goals and choosing metrics for recommender '
        'system evaluations", UCERSTI 2011'
    ),
    "shani2011": (
        'G. Shani, A. Gunawardana, "Evaluating recommendation systems", Recommender Systems Handbook, 2011'
    ),
    "shannon1948": (
        'C. Shannon, "A mathematical theory of communication", Bell System Technical Journal 27, 1948'
    ),
    "simpson1943": (
        'G. Simpson, "Mammals and the nature of continents", American Journal of Science 241, 1943'
    ),
    "simpson1949": 'E. Simpson, "Measurement of diversity", Nature 163, 1949',
    "singh2018": 'A. Singh, T. Joachims, "Fairness of exposure in rankings", KDD 2018',
    "smirnov1939": (
        'N. Smirnov, "On the estimation of the discrepancy between empirical curves of '
        'distribution for two independent samples", Bulletin of Moscow University 2, 1939'
    ),
    "sokolova2009": (
        'M. Sokolova, G. Lapalme, "A systematic analysis of performance measures for '
        'classification tasks", Information Processing & Management 45, 2009'
    ),
    "spearman1904": (
        'C. Spearman, "The proof and measurement of association between two things", American '
        "Journal of Psychology 15, 1904"
    ),
    "steck2018": 'H. Steck, "Calibrated recommendations", RecSys 2018',
    "thakur2021": (
        'N. Thakur et al., "BEIR: a heterogenous benchmark for zero-shot evaluation of '
        'information retrieval models", NeurIPS 2021'
    ),
    "tsoumakas2010": (
        'G. Tsoumakas, I. Katakis, I. Vlahavas, "Mining multi-label data", in "Data Mining and '
        'Knowledge Discovery Handbook", 2010'
    ),
    "urbano2017": 'J. Urbano, M. Marrero, "The treatment of ties in AP correlation", ICTIR 2017',
    "vancalster2019": (
        'B. Van Calster et al., "Calibration: the Achilles heel of predictive analytics", BMC '
        "Medicine 17, 2019"
    ),
    "vanrijsbergen1979": 'C. van Rijsbergen, "Information Retrieval", 2nd ed., 1979, chapter 7',
    "vargas2011": (
        'S. Vargas, P. Castells, "Rank and relevance in novelty and diversity metrics for recommender '
        'systems", RecSys 2011'
    ),
    "vargas2014": (
        'S. Vargas, L. Baltrunas, A. Karatzoglou, P. Castells, "Coverage, redundancy and '
        'size-awareness in genre diversity for recommender systems", RecSys 2014'
    ),
    "vigna2015": 'S. Vigna, "A weighted correlation index for rankings with ties", WWW 2015',
    "voorhees1999": 'E. Voorhees, "The TREC-8 question answering track report", TREC 1999',
    "webber2010": (
        'W. Webber, A. Moffat, J. Zobel, "A similarity measure for indefinite rankings", TOIS 28(4), 2010'
    ),
    "willmott2005": (
        'C. Willmott, K. Matsuura, "Advantages of the mean absolute error (MAE) over the root '
        'mean square error (RMSE) in assessing average model performance", Climate Research 30, '
        "2005"
    ),
    "wright1921": 'S. Wright, "Correlation and causation", Journal of Agricultural Research 20, 1921',
    "yang2017": 'K. Yang, J. Stoyanovich, "Measuring fairness in ranked outputs", SSDBM 2017',
    "yao1995": (
        'Y. Y. Yao, "Measuring retrieval effectiveness based on user preference of documents", Journal of '
        "the American Society for Information Science 46, 1995"
    ),
    "yerushalmy1947": (
        'J. Yerushalmy, "Statistical problems in assessing methods of medical diagnosis, with '
        'special reference to X-ray techniques", Public Health Reports 62, 1947'
    ),
    "yilmaz2006": (
        'E. Yilmaz, J. Aslam, "Estimating average precision with incomplete and imperfect '
        'judgments", CIKM 2006'
    ),
    "yilmaz2008": (
        'E. Yilmaz, J. Aslam, S. Robertson, "A new rank correlation coefficient for information '
        'retrieval", SIGIR 2008'
    ),
    "yilmazkanoulas2008": (
        'E. Yilmaz, E. Kanoulas, J. Aslam, "A simple and efficient sampling method for estimating AP and '
        'NDCG", SIGIR 2008'
    ),
    "yin2012": (
        'H. Yin, B. Cui, J. Li, J. Yao, C. Chen, "Challenging the long tail recommendation", PVLDB 5(9), 2012'
    ),
    "youden1950": 'W. Youden, "Index for rating diagnostic tests", Cancer 3, 1950',
    "zhai2003": (
        'C. Zhai, W. Cohen, J. Lafferty, "Beyond independent relevance: methods and evaluation metrics for '
        'subtopic retrieval", SIGIR 2003'
    ),
    "zhang2017": (
        'F. Zhang, Y. Liu, X. Li, M. Zhang, Y. Xu, S. Ma, "Evaluating web search with a bejeweled '
        'player model", SIGIR 2017'
    ),
    "zhou2010": (
        'T. Zhou et al., "Solving the apparent diversity-accuracy dilemma of recommender systems", '
        "PNAS 107(10), 2010"
    ),
    "zhou2018": 'G. Zhou et al., "Deep interest network for click-through rate prediction", KDD 2018',
    "zhu2017": 'H. Zhu et al., "Optimized cost per click in Taobao display advertising", KDD 2017',
    "zhu2020": (
        'Z. Zhu, J. Wang, J. Caverlee, "Measuring and mitigating item under-recommendation bias in '
        'personalized ranking systems", SIGIR 2020'
    ),
    "ziegler2005": (
        'C. Ziegler, S. McNee, J. Konstan, G. Lausen, "Improving recommendation lists through topic '
        'diversification", WWW 2005'
    ),
}
